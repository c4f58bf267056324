// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls during which the worker runs other tasks: try without blocking, wait for the
// descriptor.
//
// What cannot be tried without blocking goes to a thread of its own (io_pool.hpp). The descriptor's
// flags are never changed: other processes may share them.
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <iterator>
#include <poll.h>
#include <qthread/io.h>
#include <qthread/qt_syscalls.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/embed.h>
#include <weft/fd.h>
#include <weft/task.h>
#include <weft/time.h>
#include <weft/word.h>

#include "io_pool.hpp"
#include "last_error.hpp"
#include "polling.hpp"
#include "record.hpp"
#include "runtime.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

// Of listeners, by their numbers: full, as all zero is, unless somebody has it. See accept_turn.
constinit weft_syncvar_t accept_turns[4096] = {};

// A descriptor that the program made non-blocking answers at once, as it shall.
bool never_blocks(int fd) noexcept {
  const int flags = fcntl(fd, F_GETFL);
  return flags < 0 || (flags & O_NONBLOCK) != 0;
}

// A call that can only block is what is left where Weft cannot wait: for that descriptor, or
// because there are no means to. It also says what is wrong with the descriptor.
enum class waited { ready, cancelled, cannot };

// Waits until the descriptor is ready. cancelled: the last error says so.
waited wait_for(int fd, int events) noexcept {
  const not_busy waits;
  const int r = weft_fd_wait(fd, events);
  if (r >= 0) return waited::ready;
  if (r != -ECANCELED) return waited::cannot;
  set_last_error(ECANCELED);
  return waited::cancelled;
}

bool is_file(int fd) noexcept { return lseek(fd, 0, SEEK_CUR) >= 0 || last_error() != ESPIPE; }

bool is_regular(int fd) noexcept {
  struct stat st{};
  return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

// A socket may have a limit of its own to how long it blocks (SO_RCVTIMEO, SO_SNDTIMEO).
bool has_time_limit(int fd, int events) noexcept {
  timeval limit{};
  socklen_t size = sizeof limit;
  const int name = events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO;
  return getsockopt(fd, SOL_SOCKET, name, &limit, &size) == 0 &&
         (limit.tv_sec != 0 || limit.tv_usec != 0);
}

bool is_listening(int fd) noexcept {
  int yes = 0;
  socklen_t size = sizeof yes;
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) == 0 && yes != 0;
}

// attempt() does what it can without blocking: a count, or -1 and EAGAIN; any other error that says
// it cannot be asked so leads to blocking(), elsewhere.
template <class Attempt, class Blocking>
ssize_t when_ready(int fd, int events, Attempt&& attempt, Blocking&& blocking) noexcept {
  for (;;) {
    const ssize_t n = attempt();
    if (n >= 0) return n;
    const int error = last_error();
    if (error != EAGAIN && error != EOPNOTSUPP && error != EINVAL && error != ENOSYS) return n;
    if (error != EAGAIN || is_file(fd) || has_time_limit(fd, events)) return offload(blocking);
    const waited r = wait_for(fd, events);
    if (r == waited::cancelled) return -1;
    if (r == waited::cannot) return offload(blocking);
  }
}

bool is_ready(int fd, short events) noexcept {
  pollfd p{fd, events, 0};
  return poll(&p, 1, 0) != 0;
}

// Of each listener one task at a time takes who has come. A connection ends the waits of all; those
// that it is not for would block, each with a thread of the pool, and calls that shall end them
// would wait for one.
class accept_turn {
 public:
  explicit accept_turn(int fd) noexcept
      : turn_(accept_turns[static_cast<unsigned>(fd) % std::size(accept_turns)]) {
    result_ = weft_syncvar_try_read_fe(&turn_, nullptr);
    if (result_ != -EBUSY) return;
    const not_busy waits;
    result_ = weft_syncvar_read_fe_until(&turn_, nullptr, weft_time_now_ns() + patience_ns);
  }
  ~accept_turn() {
    while (result_ == 0 && weft_syncvar_fill(&turn_) != 0) sched_yield();  // until there is memory
  }
  accept_turn(const accept_turn&) = delete;
  accept_turn& operator=(const accept_turn&) = delete;

  // Else it is the caller's, or he does without.
  bool is_cancelled() const noexcept { return result_ == -ECANCELED; }

 private:
  // Who has it takes some ten microseconds, unless another process was faster: then it blocks, with
  // a thread of the pool, and gets the next. But it would have the turn for ever if the number is
  // another listener's by then: where somebody has come for so long others do without.
  static constexpr int64_t patience_ns = 10'000'000'000;

  weft_syncvar_t& turn_;
  int result_;
};

// Of a listener that blocks.
int accept_when_ready(int fd, sockaddr* address, socklen_t* address_len) noexcept {
  const auto blocking = [&] { return accept(fd, address, address_len); };
  while (!has_time_limit(fd, POLLIN)) {
    const waited r = wait_for(fd, POLLIN);
    if (r == waited::cancelled) return -1;
    if (r == waited::cannot) break;
    const accept_turn turn(fd);
    if (turn.is_cancelled()) {
      set_last_error(ECANCELED);
      return -1;
    }
    if (is_ready(fd, POLLIN)) return offload(blocking);
  }
  return offload(blocking);
}

}  // namespace

void begin_child_syscalls() noexcept {
  for (weft_syncvar_t& turn : accept_turns) turn = {};
}

}  // namespace weft::qt

namespace qt = weft::qt;

void qt_begin_blocking_action(void) {
  qt::record* const me = qt::self();
  if (me == nullptr || me->actions++ != 0) return;
  const int error = qt::last_error();
  me->is_away = qt::go_away();
  if (!me->is_away) qt::the.any_held_action.store(true, std::memory_order_relaxed);
  // Who initialised is who stops Weft: within an action of its own it would wait for itself.
  me->is_awaited = me != &qt::main_record && qt::awaited::begin(me);
  qt::set_last_error(error);
}

void qt_end_blocking_action(void) {
  qt::record* const me = qt::self();
  if (me == nullptr || me->actions == 0 || --me->actions != 0) return;
  const int error = qt::last_error();
  if (me->is_awaited) qt::awaited::end();
  me->is_awaited = false;
  if (!me->is_away) return qt::set_last_error(error);
  qt::come_back();
  me->is_away = false;
  qt::set_last_error(error);  // of this thread
  qt::end_where_team_is_over();
}

ssize_t qt_read(int filedes, void* buf, size_t nbyte) {
  return qt::unless_over([&]() -> ssize_t {
    const auto blocking = [&] { return read(filedes, buf, nbyte); };
    if (!qt::in_task() || qt::never_blocks(filedes)) return blocking();
    const iovec into{buf, nbyte};
    const ssize_t n = qt::when_ready(
        filedes, POLLIN, [&] { return preadv2(filedes, &into, 1, -1, RWF_NOWAIT); }, blocking);
    if (n <= 0 || static_cast<size_t>(n) == nbyte || !qt::is_regular(filedes)) return n;
    // Of a file that may be what lay in memory; the rest is read as far as there is one.
    const ssize_t more = qt::offload(
        [&] { return read(filedes, static_cast<char*>(buf) + n, nbyte - static_cast<size_t>(n)); });
    return more > 0 ? n + more : n;
  });
}

ssize_t qt_write(int filedes, void const* buf, size_t nbyte) {
  return qt::unless_over([&]() -> ssize_t {
    if (!qt::in_task() || qt::never_blocks(filedes)) return write(filedes, buf, nbyte);
    // To some descriptors nothing is something, an empty datagram say; by pwritev2 it is not.
    if (nbyte == 0) return qt::offload([&] { return write(filedes, buf, 0); });
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
  });
}

ssize_t qt_pread(int filedes, void* buf, size_t nbyte, off_t offset) {
  return qt::unless_over(
      [&]() -> ssize_t { return qt::offload([&] { return pread(filedes, buf, nbyte, offset); }); });
}

ssize_t qt_pwrite(int filedes, void const* buf, size_t nbyte, off_t offset) {
  return qt::unless_over([&]() -> ssize_t {
    return qt::offload([&] { return pwrite(filedes, buf, nbyte, offset); });
  });
}

int qt_accept(int socket, struct sockaddr* address, socklen_t* address_len) {
  return qt::unless_over([&]() -> int {
    // Where nobody can connect it fails at once.
    if (!qt::in_task() || qt::never_blocks(socket) || !qt::is_listening(socket))
      return accept(socket, address, address_len);
    return qt::accept_when_ready(socket, address, address_len);
  });
}

int qt_connect(int socket, const struct sockaddr* address, socklen_t address_len) {
  return qt::unless_over([&]() -> int {
    if (!qt::in_task() || qt::never_blocks(socket)) return connect(socket, address, address_len);
    return qt::offload([&] { return connect(socket, address, address_len); });
  });
}

int qt_system(char const* command) {
  return qt::unless_over(
      [&]() -> int { return qt::offload([&] { return std::system(command); }); });
}

pid_t qt_wait4(pid_t pid, int* stat_loc, int options, struct rusage* rusage) {
  return qt::unless_over([&]() -> pid_t {
    return qt::offload([&] { return wait4(pid, stat_loc, options, rusage); });
  });
}
