// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls during which the worker runs other tasks: try without blocking, wait for the descriptor.
//
// What cannot be tried without blocking goes to a thread of its own (io_pool.hpp). The descriptor's flags
// are never changed: other processes may share them.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <new>
#include <poll.h>
#include <qthread/io.h>
#include <qthread/qt_syscalls.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/embed.h>
#include <weft/fd.h>
#include <weft/select.h>
#include <weft/task.h>
#include <weft/time.h>

#include "io_pool.hpp"
#include "last_error.hpp"
#include "record.hpp"
#include "runtime.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

bool in_task() noexcept { return weft_task_self() != nullptr; }

// A descriptor that the program made non-blocking answers at once, as it shall.
bool never_blocks(int fd) noexcept {
  const int flags = fcntl(fd, F_GETFL);
  return flags < 0 || (flags & O_NONBLOCK) != 0;
}

// Waits until the descriptor is ready; false: the last error says why not.
bool wait_for(int fd, int events) noexcept {
  const not_busy waits;
  const int r = weft_fd_wait(fd, events);
  if (r >= 0) return true;
  set_last_error(-r);
  return false;
}

bool is_file(int fd) noexcept { return lseek(fd, 0, SEEK_CUR) >= 0 || last_error() != ESPIPE; }

// attempt() does what it can without blocking: a count, or -1 and EAGAIN; any other error that says it
// cannot be asked so leads to blocking(), elsewhere.
template <class Attempt, class Blocking>
ssize_t when_ready(int fd, int events, Attempt&& attempt, Blocking&& blocking) noexcept {
  for (;;) {
    const ssize_t n = attempt();
    if (n >= 0) return n;
    const int error = last_error();
    if (error != EAGAIN && error != EOPNOTSUPP && error != EINVAL && error != ENOSYS) return n;
    if (error != EAGAIN || is_file(fd)) return offload(blocking);
    if (!wait_for(fd, events)) {
      if (last_error() != EPERM) return -1;
      return offload(blocking);
    }
  }
}

int64_t deadline_after(int64_t ns) noexcept {
  const int64_t now = weft_time_now_ns();
  return ns > INT64_MAX - now ? INT64_MAX : now + ns;
}

// As poll, until the deadline. Each descriptor is a case; then all are looked at.
int poll_until(pollfd* fds, nfds_t n, int64_t deadline_ns) noexcept {
  std::unique_ptr<weft_case_t[]> cases;
  for (;;) {
    const int ready = poll(fds, n, 0);
    if (ready != 0) return ready;
    if (deadline_ns != INT64_MAX && weft_time_now_ns() >= deadline_ns) return 0;
    if (cases == nullptr) {
      cases.reset(new (std::nothrow) weft_case_t[n + 1]);
      if (cases == nullptr) {
        set_last_error(ENOMEM);
        return -1;
      }
    }
    std::size_t count = 0;
    for (nfds_t i = 0; i < n; ++i)
      if (fds[i].fd >= 0) {
        // Without an event errors are still told.
        const int events = fds[i].events != 0 ? fds[i].events : POLLERR;
        cases[count++] = weft_case_fd(fds[i].fd, events);
      }
    const not_busy waits;
    const int r = weft_case_select_until(cases.get(), count, deadline_ns);
    if (r < 0 && r != -ETIMEDOUT) {
      set_last_error(-r);
      return -1;
    }
  }
}

}  // namespace

}  // namespace weft::qt

namespace qt = weft::qt;

void qt_begin_blocking_action(void) {
  qt::record* const me = qt::self();
  if (me == nullptr || me->actions++ != 0) return;
  const int error = qt::last_error();
  me->is_away = qt::go_away();  // else it holds its worker
  qt::set_last_error(error);
}

void qt_end_blocking_action(void) {
  qt::record* const me = qt::self();
  if (me == nullptr || me->actions == 0 || --me->actions != 0) return;
  if (!me->is_away) return;
  const int error = qt::last_error();
  weft_task_return();
  me->is_away = false;
  qt::set_last_error(error);  // of this thread
  qt::end_where_team_is_over();
}

ssize_t qt_read(int filedes, void* buf, size_t nbyte) {
  const auto blocking = [&] { return read(filedes, buf, nbyte); };
  if (!qt::in_task() || qt::never_blocks(filedes)) return blocking();
  const iovec into{buf, nbyte};
  return qt::when_ready(
      filedes, POLLIN, [&] { return preadv2(filedes, &into, 1, -1, RWF_NOWAIT); }, blocking);
}

ssize_t qt_write(int filedes, void const* buf, size_t nbyte) {
  if (!qt::in_task() || qt::never_blocks(filedes)) return write(filedes, buf, nbyte);
  // A write that blocks writes all, so one that does not goes on with the rest.
  size_t done = 0;
  do {
    char* const rest = static_cast<char*>(const_cast<void*>(buf)) + done;
    const iovec from{rest, nbyte - done};
    const ssize_t n = qt::when_ready(
        filedes, POLLOUT, [&] { return pwritev2(filedes, &from, 1, -1, RWF_NOWAIT); },
        [&] { return write(filedes, rest, nbyte - done); });
    if (n < 0) return done > 0 ? static_cast<ssize_t>(done) : n;
    done += static_cast<size_t>(n);
    if (n == 0) break;
  } while (done < nbyte);
  return static_cast<ssize_t>(done);
}

ssize_t qt_pread(int filedes, void* buf, size_t nbyte, off_t offset) {
  return qt::offload([&] { return pread(filedes, buf, nbyte, offset); });
}

ssize_t qt_pwrite(int filedes, void const* buf, size_t nbyte, off_t offset) {
  return qt::offload([&] { return pwrite(filedes, buf, nbyte, offset); });
}

int qt_accept(int socket, struct sockaddr* address, socklen_t* address_len) {
  if (!qt::in_task() || qt::never_blocks(socket)) return accept(socket, address, address_len);
  if (!qt::wait_for(socket, POLLIN)) return -1;
  // Another may have been faster; then this blocks, but no worker.
  return qt::offload([&] { return accept(socket, address, address_len); });
}

int qt_connect(int socket, const struct sockaddr* address, socklen_t address_len) {
  if (!qt::in_task() || qt::never_blocks(socket)) return connect(socket, address, address_len);
  return qt::offload([&] { return connect(socket, address, address_len); });
}

int qt_poll(struct pollfd fds[], nfds_t nfds, int timeout) {
  if (!qt::in_task() || timeout == 0) return poll(fds, nfds, timeout);
  const int64_t deadline =
      timeout < 0 ? INT64_MAX : qt::deadline_after(int64_t{timeout} * 1'000'000);
  return qt::poll_until(fds, nfds, deadline);
}

int qt_select(int nfds, fd_set* readfds, fd_set* writefds, fd_set* errorfds,
              struct timeval* timeout) {
  if (!qt::in_task() || nfds < 0 || nfds > FD_SETSIZE)
    return select(nfds, readfds, writefds, errorfds, timeout);
  pollfd fds[FD_SETSIZE];
  nfds_t n = 0;
  const auto wants = [](int fd, fd_set* set) { return set != nullptr && FD_ISSET(fd, set); };
  for (int fd = 0; fd < nfds; ++fd) {
    short events = 0;
    if (wants(fd, readfds)) events |= POLLIN;
    if (wants(fd, writefds)) events |= POLLOUT;
    if (wants(fd, errorfds)) events |= POLLPRI;
    if (events != 0) fds[n++] = pollfd{fd, events, 0};
  }
  int64_t deadline = INT64_MAX;
  if (timeout != nullptr)
    deadline = qt::deadline_after(timeout->tv_sec * int64_t{1'000'000'000} +
                                  timeout->tv_usec * int64_t{1000});
  const int ready = qt::poll_until(fds, n, deadline);
  if (ready < 0) return ready;
  for (nfds_t i = 0; i < n; ++i)
    if ((fds[i].revents & POLLNVAL) != 0) {
      qt::set_last_error(EBADF);
      return -1;
    }
  int count = 0;
  const auto keep = [&](const pollfd& p, fd_set* set, short asked, int answers) {
    if (set == nullptr || (p.events & asked) == 0) return;
    if ((p.revents & answers) != 0) {
      ++count;
    } else {
      FD_CLR(p.fd, set);
    }
  };
  for (nfds_t i = 0; i < n; ++i) {
    keep(fds[i], readfds, POLLIN, POLLIN | POLLHUP | POLLERR);
    keep(fds[i], writefds, POLLOUT, POLLOUT | POLLERR);
    keep(fds[i], errorfds, POLLPRI, POLLPRI);
  }
  return count;
}

int qt_system(char const* command) {
  return qt::offload([&] { return std::system(command); });
}

pid_t qt_wait4(pid_t pid, int* stat_loc, int options, struct rusage* rusage) {
  return qt::offload([&] { return wait4(pid, stat_loc, options, rusage); });
}
