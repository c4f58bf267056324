// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// File descriptors becoming ready, by poll and epoll.
#include "os/fd_events.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "base/build.hpp"
#include "os/clock.hpp"
#include "os/errno_kept.hpp"

// The sanitizer's own interface; only builds with it call them.
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}

namespace weft::rt::os {

static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLPRI == POLLPRI &&
              EPOLLERR == POLLERR && EPOLLHUP == POLLHUP && EPOLLRDHUP == POLLRDHUP);

const std::uint32_t askable_events = POLLIN | POLLOUT | POLLPRI | POLLRDHUP;

namespace {

// A thread sanitizer takes a close for a write of the number. Who waits for it reads it at the same
// time, and is told.
class unseen_reads {
 public:
  unseen_reads() noexcept {
    if constexpr (build::tsan) AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  }
  ~unseen_reads() {
    if constexpr (build::tsan) AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
  unseen_reads(const unseen_reads&) = delete;
  unseen_reads& operator=(const unseen_reads&) = delete;
};

// Why the set takes no more. It may be that the user watches as many descriptors as the system lets
// one.
int why_not_added() noexcept {
  const int error = last_error();
  return error == ENOSPC ? ENOMEM : error;
}

// What the kernel keeps for us with a descriptor.
struct named {
  int fd;
  std::uint32_t arming;
};

}  // namespace

int poll_fd(int fd, std::uint32_t events, std::int64_t deadline_ns) noexcept {
  if (fd < 0) return -EBADF;  // poll would pass it over
  const errno_kept keep;
  constexpr std::int64_t second_ns = 1'000'000'000;
  for (;;) {
    pollfd p{fd, static_cast<short>(events), 0};
    timespec left{};
    if (deadline_ns > 0) {
      const std::int64_t ns = std::max<std::int64_t>(deadline_ns - monotonic_ns(), 0);
      left = {ns / second_ns, ns % second_ns};
    }
    const int found = ::ppoll(&p, 1, deadline_ns == INT64_MAX ? nullptr : &left, nullptr);
    if (found > 0) return (p.revents & POLLNVAL) != 0 ? -EBADF : p.revents;
    if (found == 0) return 0;
    if (last_error() != EINTR) return -ENOMEM;
  }
}

int always_ready(std::uint32_t asked) noexcept {
  return static_cast<int>(asked & (POLLIN | POLLOUT));
}

bool close_fd(int fd, int& error) noexcept {
  const errno_kept keep;
  if (::close(fd) == 0) return true;
  error = last_error();
  return false;
}

int fd_events::open() noexcept {
  const errno_kept keep;
  set_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (set_ < 0) return -last_error();
  interrupts_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.u64 = std::bit_cast<std::uint64_t>(named{-1, 0});
  if (interrupts_ >= 0 && ::epoll_ctl(set_, EPOLL_CTL_ADD, interrupts_, &e) == 0) return 0;
  const int why = why_not_added();
  close();
  return -why;
}

void fd_events::close() noexcept {
  const errno_kept keep;
  // Forgotten first: in a child of a fork() meanwhile the numbers may be of other files.
  for (int* number : {&set_, &interrupts_})
    if (const int fd = std::exchange(*number, -1); fd >= 0) (void)::close(fd);
}

int fd_events::arm(const event& asked) noexcept {
  const errno_kept keep;
  const unseen_reads of_the_number;
  epoll_event e{};
  e.events = asked.events | EPOLLONESHOT;
  e.data.u64 = std::bit_cast<std::uint64_t>(named{asked.fd, asked.arming});
  // A descriptor that was watched before is still in the set, unless it was closed in between.
  if (::epoll_ctl(set_, EPOLL_CTL_MOD, asked.fd, &e) == 0) return 0;
  if (last_error() == ENOENT && ::epoll_ctl(set_, EPOLL_CTL_ADD, asked.fd, &e) == 0) return 0;
  return -why_not_added();
}

std::size_t fd_events::wait(event* out, std::size_t most) noexcept {
  const errno_kept keep;
  constexpr std::size_t at_once = 64;
  epoll_event found[at_once];
  const int count = ::epoll_wait(set_, found, static_cast<int>(std::min(most, at_once)), -1);
  std::size_t told = 0;
  for (int i = 0; i < count; ++i) {
    const auto of = std::bit_cast<named>(std::uint64_t{found[i].data.u64});
    out[told++] = {of.fd, of.arming, found[i].events};
  }
  return told;
}

void fd_events::interrupt() noexcept {
  const errno_kept keep;
  const std::uint64_t one = 1;
  // Cannot fail: the counter is written once in its life.
  (void)!::write(interrupts_, &one, sizeof one);
}

}  // namespace weft::rt::os
