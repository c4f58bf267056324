/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting until a file descriptor is ready, without holding a worker. */
#ifndef WEFT_FD_H
#define WEFT_FD_H

#include "weft/types.h"

/* Events are those of poll(2): POLLIN, POLLOUT, POLLPRI, POLLRDHUP; POLLERR and POLLHUP are told
 * unasked. That a descriptor is ready is all that is promised: of several tasks that wait for it
 * all are woken, and one may find that another was faster. So make it non-blocking, try first, and
 * wait after EAGAIN. A regular file is always ready for POLLIN and POLLOUT, and never for the
 * others.
 *
 * Close a descriptor that others may be waiting for by weft_fd_close. After a plain close(2) they
 * wait until their deadline, or until the number is used and waited for again.
 * weft_stop does not wait for a task that waits here without a deadline: it is abandoned.
 *
 * The first call that has to wait makes a thread, which waits for all until weft_stop. It has the
 * signal mask of that call's thread: what it shall not take is blocked there.
 *
 * In the scope of a canceller (weft/cancel.h) who would have to wait, or waits, gets -ECANCELED. A
 * thread that waits while Weft does not run looks at its cancellers once, before it waits. */

/// Wait until a descriptor is ready.
/// @param fd      the descriptor
/// @param events  what to wait for; not 0
/// @return the events that came (above 0), -EINVAL (events), -EBADF (not open, or weft_fd_close),
///         -ECANCELED, -EPERM (the caller is stackless and it is not ready), -ENOMEM, -EMFILE,
///         -ENFILE, -EAGAIN (what waits for all could not be made)
/// Context: a task, or any other thread. One that comes before Weft runs, or still waits when it
///          stops, waits in poll(2): weft_fd_close does not wake it there.   Blocks: until it is
///          ready.
/// Order:   none but what the kernel gives to who reads what another wrote.
/// Owns:    the descriptor stays the caller's.
/// Source:  docs/design/0012-fd.md; as poll(2).
WEFT_API int weft_fd_wait(int fd, int events) WEFT_MAY_PARK;

/// Look whether a descriptor is ready.
/// @param fd      the descriptor
/// @param events  what to look for; not 0
/// @return the events that are there (above 0), -EBUSY (none), -EINVAL, -EBADF, -ENOMEM
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    as weft_fd_wait.
/// Source:  as poll(2) with a timeout of 0.
WEFT_API int weft_fd_try_wait(int fd, int events);

/// Wait until a descriptor is ready, or give up at a deadline.
/// @param fd           the descriptor
/// @param events       what to wait for; not 0
/// @param deadline_ns  absolute CLOCK_MONOTONIC; what has passed looks once
/// @return as weft_fd_wait, or -ETIMEDOUT
/// Context: as weft_fd_wait.   Blocks: until it is ready, or the deadline.
/// Order:   none.
/// Owns:    as weft_fd_wait.
/// Source:  docs/design/0012-fd.md; as poll(2).
WEFT_API int weft_fd_wait_until(int fd, int events, int64_t deadline_ns) WEFT_MAY_PARK;

/// Close a descriptor; every task or thread that waits for it returns -EBADF. One that begins to
/// wait before the call has returned may wait for what has the number by then.
/// @param fd  the descriptor
/// @return 0, -EBADF, -EINTR, -EIO and what else close(2) has; as there, it is closed unless -EBADF
/// Context: any thread.   Blocks: as close(2).
/// Order:   what precedes the call happens-before the return of -EBADF.
/// Owns:    the descriptor is released.
/// Source:  docs/design/0012-fd.md; as close(2).
WEFT_API int weft_fd_close(int fd);

#endif /* WEFT_FD_H */
