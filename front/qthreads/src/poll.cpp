// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// poll and select during which the worker runs other tasks: a select of Weft, with a case for each
// descriptor.
//
// What Weft cannot wait for goes to a thread of its own (io_pool.hpp), for the rest of the time.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <poll.h>
#include <qthread/qt_syscalls.h>
#include <sys/select.h>

#include <weft/fd.h>
#include <weft/select.h>
#include <weft/time.h>

#include "io_pool.hpp"
#include "last_error.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

constexpr int64_t second_ns = 1'000'000'000;
constexpr int64_t for_ever = INT64_MAX;

int64_t deadline_after(int64_t ns) noexcept {
  const int64_t now = weft_time_now_ns();
  return ns > INT64_MAX - now ? for_ever : now + ns;
}
int64_t left_until(int64_t deadline_ns) noexcept {
  return std::max<int64_t>(deadline_ns - weft_time_now_ns(), 0);
}

// What Weft can wait for of a descriptor's events. 0: others are asked for, or none, so that errors
// alone end the poll.
int events_of(const pollfd& p) noexcept {
  constexpr int unasked = POLLERR | POLLHUP | POLLNVAL;
  constexpr int known = POLLIN | POLLOUT | POLLPRI | POLLRDHUP;
  const int asked = p.events & ~unasked;
  return (asked & ~known) == 0 ? asked : 0;
}

// Null: one of them cannot be a case, or there is no memory.
std::unique_ptr<weft_case_t[]> cases_of(const pollfd* fds, nfds_t n, std::size_t& count) noexcept {
  count = 0;
  std::unique_ptr<weft_case_t[]> cases(new (std::nothrow) weft_case_t[n + 1]);
  if (cases == nullptr) return nullptr;
  for (nfds_t i = 0; i < n; ++i) {
    if (fds[i].fd < 0) continue;
    const int events = events_of(fds[i]);
    if (events == 0) return nullptr;
    cases[count++] = weft_case_fd(fds[i].fd, events);
  }
  return cases;
}

int poll_elsewhere(pollfd* fds, nfds_t n, int64_t deadline_ns) noexcept {
  return offload([&] {
    if (deadline_ns == for_ever) return poll(fds, n, -1);
    const int64_t ms = (left_until(deadline_ns) + 999'999) / 1'000'000;
    return poll(fds, n, static_cast<int>(std::min<int64_t>(ms, INT_MAX)));
  });
}

// As poll, until the deadline. The cases say that something is there; poll says what.
int poll_until(pollfd* fds, nfds_t n, int64_t deadline_ns) noexcept {
  std::unique_ptr<weft_case_t[]> cases;
  std::size_t count = 0;
  for (;;) {
    const int ready = poll(fds, n, 0);
    if (ready != 0) return ready;
    if (deadline_ns != for_ever && left_until(deadline_ns) == 0) return 0;
    if (cases == nullptr) cases = cases_of(fds, n, count);
    if (cases == nullptr) return poll_elsewhere(fds, n, deadline_ns);
    int r;
    {
      const not_busy waits;
      r = weft_case_select_until(cases.get(), count, deadline_ns);
    }
    if (r >= 0) r = std::min(cases[r].result, 0);
    if (r == 0 || r == -ETIMEDOUT || r == -EBADF) continue;
    if (r != -ECANCELED)
      return poll_elsewhere(fds, n, deadline_ns);  // there is nothing to wait with
    set_last_error(ECANCELED);
    return -1;
  }
}

// The descriptors of one call of select, and what each of its three sets asks of them.
class selection {
 public:
  selection(int nfds, fd_set* read, fd_set* write, fd_set* error) noexcept
      : nfds_(nfds),
        sets_{{read, POLLIN, POLLIN | POLLHUP | POLLERR, {}},
              {write, POLLOUT, POLLOUT | POLLERR, {}},
              {error, POLLPRI, POLLPRI, {}}} {
    for (int fd = 0; fd < nfds; ++fd) {
      short events = 0;
      for (const set& s : sets_)
        if (s.of != nullptr && FD_ISSET(fd, s.of)) events |= s.asks;
      if (events != 0) fds_[count_++] = pollfd{fd, events, 0};
    }
    for (set& s : sets_)
      if (s.of != nullptr) s.asked = *s.of;
  }

  // As select, until the deadline.
  int until(int64_t deadline_ns) noexcept {
    const int ready = poll_until(fds_, count_, deadline_ns);
    if (ready < 0) return ready;
    for (nfds_t i = 0; i < count_; ++i)
      if ((fds_[i].revents & POLLNVAL) != 0) {
        set_last_error(EBADF);
        return -1;
      }
    const int kept = keep();
    // A hang-up ends a poll, and not a select that does not ask for it.
    return kept != 0 || ready == 0 ? kept : elsewhere(deadline_ns);
  }

 private:
  struct set {
    fd_set* of;
    short asks;
    int answers;
    fd_set asked;
  };

  int keep() noexcept {
    int kept = 0;
    for (nfds_t i = 0; i < count_; ++i)
      for (set& s : sets_) {
        if (s.of == nullptr || (fds_[i].events & s.asks) == 0) continue;
        if ((fds_[i].revents & s.answers) != 0) {
          kept += FD_ISSET(fds_[i].fd, s.of) ? 1 : 0;
        } else {
          FD_CLR(fds_[i].fd, s.of);
        }
      }
    return kept;
  }

  int elsewhere(int64_t deadline_ns) noexcept {
    for (set& s : sets_)
      if (s.of != nullptr) *s.of = s.asked;
    return offload([&] {
      const int64_t ns = left_until(deadline_ns);
      timeval left{ns / second_ns, ns % second_ns / 1000};
      return select(nfds_, sets_[0].of, sets_[1].of, sets_[2].of,
                    deadline_ns == for_ever ? nullptr : &left);
    });
  }

  const int nfds_;
  set sets_[3];
  pollfd fds_[FD_SETSIZE];
  nfds_t count_ = 0;
};

}  // namespace

}  // namespace weft::qt

namespace qt = weft::qt;

int qt_poll(struct pollfd fds[], nfds_t nfds, int timeout) {
  return qt::unless_over([&]() -> int {
    if (!qt::in_task() || timeout == 0) return poll(fds, nfds, timeout);
    const int64_t deadline =
        timeout < 0 ? qt::for_ever : qt::deadline_after(int64_t{timeout} * 1'000'000);
    return qt::poll_until(fds, nfds, deadline);
  });
}

int qt_select(int nfds, fd_set* readfds, fd_set* writefds, fd_set* errorfds,
              struct timeval* timeout) {
  return qt::unless_over([&]() -> int {
    if (!qt::in_task() || nfds < 0 || nfds > FD_SETSIZE)
      return select(nfds, readfds, writefds, errorfds, timeout);
    int64_t deadline = qt::for_ever;
    if (timeout != nullptr) {
      if (timeout->tv_sec < 0 || timeout->tv_usec < 0) {
        qt::set_last_error(EINVAL);
        return -1;
      }
      constexpr int64_t most_seconds = INT64_MAX / qt::second_ns / 2;
      const int64_t seconds = std::min<int64_t>(timeout->tv_sec, most_seconds);
      const int64_t microseconds = std::min<int64_t>(timeout->tv_usec, most_seconds);
      deadline = qt::deadline_after(seconds * qt::second_ns + microseconds * 1000);
    }
    const int ready = qt::selection(nfds, readfds, writefds, errorfds).until(deadline);
    // As Linux does: what is left of it.
    if (timeout != nullptr && deadline != qt::for_ever) {
      const int64_t ns = qt::left_until(deadline);
      *timeout = {ns / qt::second_ns, ns % qt::second_ns / 1000};
    }
    return ready;
  });
}
