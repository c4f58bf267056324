/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forks: tasks in memory of their joiner's, for the cheapest way to fork and join. */
#ifndef WEFT_FORK_H
#define WEFT_FORK_H

#include "weft/types.h"

/* A task whose descriptor is the caller's memory, as a rule a variable of the function that starts
 * and joins it. It is a full task, but it has no handle that could be given to others: who started
 * it joins it, before the memory is used for anything else. weft.hpp does the plain cases of both
 * calls in place. */
typedef struct weft_fork {
  uint64_t opaque[10];
} __attribute__((aligned(16))) weft_fork_t;

/// Spawn a task that runs fn(arg), with its descriptor in the caller's memory.
/// @param fork  not in use
/// @param fn    what to run; not NULL
/// @param arg   passed to fn
/// @return 0, -EINVAL (fork or fn is NULL, or a WEFT_ variable is bad), -EPERM (the caller is
///         stackless: it could not join), -ENOMEM; -EAGAIN, -EEXIST as weft_start
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   what precedes the call happens-before fn(arg).
/// Owns:    fork is the task's until weft_fork_join returns 0; arg is borrowed until fn returns.
/// Source:  docs/design/0016-forks.md; as the task of Lace, which lies in its deque.
WEFT_API int weft_fork_start(weft_fork_t *fork, weft_fn_t fn, void *arg);

/// Wait until a fork has finished, or call it, as weft_task_join does.
/// @param fork    started by weft_fork_start
/// @param result  receives what fn returned; may be NULL
/// @return 0, -EINVAL (fork is NULL), -ENOMEM (no stack for others to run on; nothing happened),
///         -ENOTCONN (as weft_task_join)
/// Context: the flow that started it.   Blocks: until the task has finished.
/// Order:   everything the task did happens-before the return.
/// Owns:    fork is the caller's again after 0; joining it again is an error that is caught.
/// Source:  docs/design/0016-forks.md.
WEFT_API int weft_fork_join(weft_fork_t *fork, void **result) WEFT_MAY_PARK;

/// Let idle workers have some of what the caller's worker has queued. For code inlined by weft.hpp,
/// which has queued a fork itself; nothing else has to ask.
/// @return 0
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0016-forks.md.
WEFT_API int weft_fork_share(void);

/// End a fork that was called on the joiner's stack and came back on another worker, or used slots
/// or the like. For code inlined by weft.hpp; nothing else has to ask.
/// @param fork  was called by the caller, and has returned
/// @return 0
/// Context: the flow that called it.   Blocks: until the caller is where it must be, if it is
///          sticky.
/// Order:   none.
/// Owns:    fork is the caller's again.
/// Source:  docs/design/0016-forks.md.
WEFT_API int weft_fork_end(weft_fork_t *fork) WEFT_MAY_PARK;

#endif /* WEFT_FORK_H */
