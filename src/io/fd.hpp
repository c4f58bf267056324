// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flows that wait for a file descriptor to become ready.
//
// A place for each descriptor holds the flows that wait there. One thread of the runtime, made at
// the first such wait, waits for all of them in the kernel. The steps are in README.md.
#pragma once

#include <cstdint>

#include "sync/select.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

// The events that came, as bits of poll(2); -EBUSY (a look, and nothing is there), -ETIMEDOUT,
// -EBADF, -ECANCELED, -EPERM (stackless), -ENOMEM, -EMFILE, -ENFILE, -EAGAIN (no thread could be
// made). events: not 0, of os::askable_events.
int fd_try_wait(int fd, uint32_t events) noexcept;
int fd_wait(int fd, uint32_t events, int64_t deadline_ns, void* site) noexcept;

struct fd_waiter : waiter {
  fd_waiter(wait& w, uint32_t asked) noexcept : waiter(w), events(asked) {}

  const uint32_t events;
  int came = 0;  // events, or a negative errno; written by who claims the wait
};

// For select, by a task. 0: n stands until it is claimed or leaves. Else the events that are always
// there, or an error.
int fd_stand(int fd, fd_waiter& n) noexcept;
void fd_leave(int fd, fd_waiter& n) noexcept;

// argument: the descriptor in the low half, the events in the high one. Outside a task it is
// -ENOTCONN.
extern const select_ops fd_case;

// Wakes all who wait for it with -EBADF and closes it; those who come before that is done wait for
// what has the number then. 0 or what close(2) said.
int fd_close(int fd) noexcept;

// For boot/: after the last task has run, when Weft does not run any more.
void fd_stop() noexcept;

}  // namespace weft::rt
