/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cancelled waits: a request ends the waits of all flows that are in its scope. */
#ifndef WEFT_CANCEL_H
#define WEFT_CANCEL_H

#include "weft/types.h"

/* A flow (a task, or a thread outside) enters the scope of a canceller and leaves it again. In
 * between, a call of its own that would have to wait, or waits, gives -ECANCELED once the canceller
 * is requested, and has changed nothing, as after a deadline; the time forms too. A call that need
 * not wait is done: who computes asks weft_cancel_is_requested now and then. Scopes nest, and each
 * of them counts.
 *
 * Cancelled are waits of weft/lock.h, sync.h, channel.h, select.h, word.h, fd.h and time.h, and
 * those of weft_worker_remove and weft_shepherd_remove. Not cancelled:
 * the locking anew at the end of a condition's wait; joins (a task whose end is waited for is told
 * to end instead, and weft_case_join in a select can be cancelled); weft_task_suspend; loops, and
 * teams but for weft_team_wait. A scope is the flow's alone: tasks that it spawns, or calls inline,
 * are not in it. One that a thread entered before it started Weft goes on, and so does one that it
 * is in when Weft stops. */

/* A canceller. Zero, or WEFT_CANCEL_INIT, is one that was not requested. It may be freed when every
 * flow has left its scope, but for tasks that weft_stop abandoned there: after that it is requested
 * no more, only initialised anew. */
typedef struct weft_cancel {
  uint64_t opaque[2];
} weft_cancel_t;

#define WEFT_CANCEL_INIT {{0}}

/* The presence of one flow in one scope. */
typedef struct weft_cancel_scope {
  uint64_t opaque[7];
} weft_cancel_scope_t;

/// Request: all waits in the scope of a canceller end with -ECANCELED, these and later ones.
/// @param cancel  the canceller; a second request changes nothing
/// @return 0, -EINVAL (cancel is NULL)
/// Context: any thread; not async-signal-safe.   Blocks: never.
/// Order:   what precedes the call happens-before the return of those that it ends.
/// Owns:    nothing.
/// Source:  docs/design/0022-cancelled-waits.md; as CancelScope.cancel of Trio, cancel functions of
///          Go's contexts.
WEFT_API int weft_cancel_request(weft_cancel_t *cancel);

/// Ask whether a canceller was requested.
/// @param cancel  the canceller
/// @return 1 or 0, -EINVAL (cancel is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   when it returns 1, the request happens-before the return.
/// Owns:    nothing.
/// Source:  as std::stop_token::stop_requested.
WEFT_API int weft_cancel_is_requested(const weft_cancel_t *cancel);

/// Enter the scope of a canceller, or a shield: in it, what is requested outside counts for
/// nothing.
/// @param cancel  the canceller; NULL: a shield, which always succeeds
/// @param scope   not in use; receives the presence
/// @return 0, -EINVAL (scope is NULL), -ENOMEM (nothing happened)
/// Context: any thread, in a task or not.   Blocks: never.
/// Order:   none.
/// Owns:    scope is the runtime's, and must stay where it is, until the flow has left it; cancel
///          is borrowed as long.
/// Source:  docs/design/0022-cancelled-waits.md; as `with CancelScope(shield=...)` of Trio.
WEFT_API int weft_cancel_enter(weft_cancel_t *cancel, weft_cancel_scope_t *scope);

/// Leave a scope or shield.
/// @param scope  the one that this flow entered last and has not left. Of a shield that was entered
///               outside all scopes it is not checked that it is the last
/// @return 0, -EINVAL (NULL, or another one; nothing changed)
/// Context: the flow that entered it.   Blocks: never.
/// Order:   none.
/// Owns:    scope is the caller's again.
/// Source:  as weft_cancel_enter.
WEFT_API int weft_cancel_leave(weft_cancel_scope_t *scope);

#endif /* WEFT_CANCEL_H */
