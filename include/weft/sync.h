/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Semaphores, barriers, latches, once, futures, sincs: for tasks and for threads outside Weft
 * alike. */
#ifndef WEFT_SYNC_H
#define WEFT_SYNC_H

#include "weft/types.h"

/* What weft/lock.h says of contexts, waiting, deadlines and memory holds here, too. Where a flow
 * waited by deadline, the memory may be used for something else only when that flow has returned.
 */

/* A counting semaphore. Zero, or WEFT_SEMAPHORE_INIT(n), is one of 0, or n, units. */
typedef struct weft_semaphore {
  uint64_t opaque[4];
} weft_semaphore_t;

#define WEFT_SEMAPHORE_INIT(units) {{(UINT64_C(0) + (units)) << 2, 0}}

/// Make a semaphore.
/// @param semaphore  not in use
/// @param units      how many it begins with, at most INT32_MAX
/// @return 0, -EINVAL (semaphore is NULL, or too many units)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing; semaphore is the caller's.
/// Source:  as sem_init.
WEFT_API int weft_semaphore_init(weft_semaphore_t *semaphore, uint32_t units);

/// Add units: as many waiters as there are units get one each, the longest waiting first.
/// @param semaphore  the semaphore
/// @param units      how many; 0 is allowed
/// @return 0, -EINVAL (semaphore is NULL), -EOVERFLOW (units and those that it has are more than
///         INT32_MAX together, though waiters would take some)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before the return of those that take the units.
/// Owns:    nothing.
/// Source:  src/sync/README.md; as sem_post.
WEFT_API int weft_semaphore_post(weft_semaphore_t *semaphore, uint32_t units);

/// Take one unit, after those who have waited longer.
/// @param semaphore  the semaphore
/// @return 0, -EINVAL (semaphore is NULL), -EPERM (would wait, and the caller is stackless),
///         -ECANCELED (weft/cancel.h), -ENOMEM
/// Context: any thread.   Blocks: until there is a unit.
/// Order:   the post of that unit happens-before the return.
/// Owns:    the unit, if the program sees it so.
/// Source:  as sem_wait.
WEFT_API int weft_semaphore_wait(weft_semaphore_t *semaphore) WEFT_MAY_PARK;

/// Take one unit if there is one.
/// @param semaphore  the semaphore
/// @return 0, -EBUSY (there is none), -EINVAL (semaphore is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_semaphore_wait when it returns 0.
/// Owns:    as weft_semaphore_wait.
/// Source:  as sem_trywait.
WEFT_API int weft_semaphore_try_wait(weft_semaphore_t *semaphore);

/// Take one unit, or give up at a deadline.
/// @param semaphore    the semaphore
/// @param deadline_ns  absolute, CLOCK_MONOTONIC
/// @return 0, -ETIMEDOUT, or as weft_semaphore_wait
/// Context: any thread.   Blocks: until there is a unit, or the deadline.
/// Order:   as weft_semaphore_wait when it returns 0.
/// Owns:    as weft_semaphore_wait.
/// Source:  as sem_clockwait.
WEFT_API int weft_semaphore_wait_until(weft_semaphore_t *semaphore,
                                       int64_t deadline_ns) WEFT_MAY_PARK;

/// How many units there are now; another thread may take them at once.
/// @param semaphore  the semaphore
/// @return 0 or more, -EINVAL (semaphore is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   the posts that are counted happen-before the return.
/// Owns:    nothing.
/// Source:  as sem_getvalue.
WEFT_API int weft_semaphore_value(const weft_semaphore_t *semaphore);

/* A barrier: weft_barrier_init makes one. */
typedef struct weft_barrier {
  uint64_t opaque[3];
} weft_barrier_t;

/// Make a barrier.
/// @param barrier  not in use
/// @param parties  how many arrive each time; not 0
/// @return 0, -EINVAL (barrier is NULL or parties is 0)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing; barrier is the caller's.
/// Source:  as pthread_barrier_init.
WEFT_API int weft_barrier_init(weft_barrier_t *barrier, uint32_t parties);

/// Arrive, and wait until all parties have. Then the barrier begins anew.
/// @param barrier  the barrier
/// @return 1 for the one that came last, 0 for the others; or, without having arrived, -EINVAL
///         (barrier is NULL), -EPERM (would wait, and the caller is stackless), -ECANCELED
///         (weft/cancel.h), -ENOMEM
/// Context: any thread.   Blocks: until all have arrived.
/// Order:   what precedes each arrival happens-before each return.
/// Owns:    nothing.
/// Source:  src/sync/README.md; as pthread_barrier_wait.
WEFT_API int weft_barrier_wait(weft_barrier_t *barrier) WEFT_MAY_PARK;

/// Arrive if nobody else is missing.
/// @param barrier  the barrier
/// @return 1, -EBUSY (others are missing; the caller has not arrived), -EINVAL (barrier is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_barrier_wait when it returns 1.
/// Owns:    nothing.
/// Source:  src/sync/README.md.
WEFT_API int weft_barrier_try_wait(weft_barrier_t *barrier);

/// Arrive, and take the arrival back if not all have come by a deadline.
/// @param barrier      the barrier
/// @param deadline_ns  absolute, CLOCK_MONOTONIC
/// @return -ETIMEDOUT (the caller has not arrived), or as weft_barrier_wait
/// Context: any thread.   Blocks: until all have arrived, or the deadline.
/// Order:   as weft_barrier_wait when it returns 0 or 1.
/// Owns:    nothing.
/// Source:  src/sync/README.md.
WEFT_API int weft_barrier_wait_until(weft_barrier_t *barrier, int64_t deadline_ns) WEFT_MAY_PARK;

/* A latch: weft_latch_init makes one, or WEFT_LATCH_INIT(count). Zero is an open one. */
typedef struct weft_latch {
  uint64_t opaque[2];
} weft_latch_t;

#define WEFT_LATCH_INIT(count) {{(UINT64_C(0) + (count)) << 2, 0}}

/// Make a latch.
/// @param latch  not in use
/// @param count  how far it is from being open
/// @return 0, -EINVAL (latch is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing; latch is the caller's.
/// Source:  as std::latch.
WEFT_API int weft_latch_init(weft_latch_t *latch, uint32_t count);

/// Take something from the count; at 0 the latch is open, and all who wait go on.
/// @param latch  the latch
/// @param by     how much; 0 is allowed
/// @return 0, -EINVAL (latch is NULL, or by is more than the count)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before the return of those that wait.
/// Owns:    nothing.
/// Source:  src/sync/README.md; as std::latch::count_down.
WEFT_API int weft_latch_count_down(weft_latch_t *latch, uint32_t by);

/// Add to the count: an open latch is closed again. By one who has yet to count down, or before
/// anybody waits, so that nobody goes on too early.
/// @param latch  the latch
/// @param by     how much; 0 is allowed
/// @return 0, -EINVAL (latch is NULL), -EOVERFLOW (the count would go above UINT32_MAX)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_latch_wait when the latch was open.
/// Owns:    nothing.
/// Source:  src/sync/README.md; as Add of Go's sync.WaitGroup.
WEFT_API int weft_latch_count_up(weft_latch_t *latch, uint32_t by);

/// Wait until the latch is open.
/// @param latch  the latch
/// @return 0, -EINVAL (latch is NULL), -EPERM (would wait, and the caller is stackless), -ECANCELED
///         (weft/cancel.h), -ENOMEM
/// Context: any thread.   Blocks: until the count is 0.
/// Order:   all that was counted down happens-before the return.
/// Owns:    nothing.
/// Source:  as std::latch::wait.
WEFT_API int weft_latch_wait(weft_latch_t *latch) WEFT_MAY_PARK;

/// Ask whether the latch is open.
/// @param latch  the latch
/// @return 0 (it is), -EBUSY, -EINVAL (latch is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_latch_wait when it returns 0.
/// Owns:    nothing.
/// Source:  as std::latch::try_wait.
WEFT_API int weft_latch_try_wait(weft_latch_t *latch);

/// Wait until the latch is open, or give up at a deadline.
/// @param latch        the latch
/// @param deadline_ns  absolute, CLOCK_MONOTONIC
/// @return 0, -ETIMEDOUT, or as weft_latch_wait
/// Context: any thread.   Blocks: until the count is 0, or the deadline.
/// Order:   as weft_latch_wait when it returns 0.
/// Owns:    nothing.
/// Source:  src/sync/README.md.
WEFT_API int weft_latch_wait_until(weft_latch_t *latch, int64_t deadline_ns) WEFT_MAY_PARK;

/* Something to be done once. Zero, or WEFT_ONCE_INIT, has not been done. */
typedef struct weft_once {
  uint64_t opaque[3];
} weft_once_t;

#define WEFT_ONCE_INIT {{0}}

/// Have fn(arg) run once: by the first who comes, while all others wait until it has returned.
/// @param once  the same for all
/// @param fn    what to run; it may park; not NULL
/// @param arg   passed to fn
/// @return 0 (fn has returned), -EINVAL (NULL), -EDEADLK (called by fn itself), -EPERM (another
///         runs it, and the caller is stackless), -ECANCELED (weft/cancel.h), -ENOMEM
/// Context: any thread.   Blocks: while another runs fn.
/// Order:   fn happens-before the return.
/// Owns:    arg is borrowed until fn returns.
/// Source:  src/sync/README.md; as pthread_once.
WEFT_API int weft_once_call(weft_once_t *once, void (*fn)(void *arg), void *arg) WEFT_MAY_PARK;

/// The same, unless another runs fn now.
/// @param once  the same for all
/// @param fn    what to run
/// @param arg   passed to fn
/// @return 0, -EBUSY (another runs it), -EINVAL, -EDEADLK
/// Context: any thread.   Blocks: only as fn does.
/// Order:   as weft_once_call when it returns 0.
/// Owns:    as weft_once_call.
/// Source:  src/sync/README.md.
WEFT_API int weft_once_try_call(weft_once_t *once, void (*fn)(void *arg), void *arg) WEFT_MAY_PARK;

/// The same, giving up waiting for another's fn at a deadline. The caller's own fn runs to its end.
/// @param once         the same for all
/// @param fn           what to run
/// @param arg          passed to fn
/// @param deadline_ns  absolute, CLOCK_MONOTONIC
/// @return 0, -ETIMEDOUT, or as weft_once_call
/// Context: any thread.   Blocks: while another runs fn, until the deadline.
/// Order:   as weft_once_call when it returns 0.
/// Owns:    as weft_once_call.
/// Source:  src/sync/README.md.
WEFT_API int weft_once_call_until(weft_once_t *once, void (*fn)(void *arg), void *arg,
                                  int64_t deadline_ns) WEFT_MAY_PARK;

/* A value, or an error, that is set once. Zero, or WEFT_FUTURE_INIT, is one that is not set. */
typedef struct weft_future {
  uint64_t opaque[4];
} weft_future_t;

#define WEFT_FUTURE_INIT {{0}}

/// Set a future's value; all who wait go on.
/// @param future  the future
/// @param value   what they receive
/// @return 0, -EALREADY (it was set before; nothing changed), -EINVAL (future is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before the return of those that get it.
/// Owns:    nothing.
/// Source:  src/sync/README.md; as std::promise::set_value, ABT_eventual_set.
WEFT_API int weft_future_set(weft_future_t *future, void *value);

/// Set a future's error: those who get it receive the error as what the call returns.
/// @param future  the future
/// @param error   a negative number; better one that weft_future_get does not return by itself
/// @return 0, -EALREADY (it was set before; nothing changed), -EINVAL (future is NULL, error is not
///         negative)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_future_set.
/// Owns:    nothing.
/// Source:  as std::promise::set_exception.
WEFT_API int weft_future_fail(weft_future_t *future, int error);

/// Wait until a future is set, and get its value. As many may get it as like to, as often as they
/// like.
/// @param future  the future
/// @param value   receives the value; may be NULL
/// @return 0, the error that was set, -EINVAL (future is NULL), -EPERM (would wait, and the caller
///         is stackless), -ECANCELED (weft/cancel.h), -ENOMEM
/// Context: any thread.   Blocks: until the future is set.
/// Order:   weft_future_set happens-before the return.
/// Owns:    nothing; the value is what the program says it is.
/// Source:  as std::shared_future::get, ABT_eventual_wait.
WEFT_API int weft_future_get(weft_future_t *future, void **value) WEFT_MAY_PARK;

/// Get the value of a future if it is set.
/// @param future  the future
/// @param value   receives the value; may be NULL
/// @return 0, the error that was set, -EBUSY (not set), -EINVAL (future is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_future_get when it returns 0.
/// Owns:    as weft_future_get.
/// Source:  as ABT_eventual_test.
WEFT_API int weft_future_try_get(weft_future_t *future, void **value);

/// Get the value of a future, or give up at a deadline.
/// @param future       the future
/// @param value        receives the value; may be NULL
/// @param deadline_ns  absolute, CLOCK_MONOTONIC
/// @return as weft_future_get, or -ETIMEDOUT
/// Context: any thread.   Blocks: until the future is set, or the deadline.
/// Order:   as weft_future_get when it returns 0.
/// Owns:    as weft_future_get.
/// Source:  as std::shared_future::wait_until.
WEFT_API int weft_future_get_until(weft_future_t *future, void **value,
                                   int64_t deadline_ns) WEFT_MAY_PARK;

/// Ask whether a future is set.
/// @param future  the future
/// @return 1 or 0, -EINVAL (future is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   when it returns 1, weft_future_set happens-before the return.
/// Owns:    nothing.
/// Source:  as ABT_eventual_test.
WEFT_API int weft_future_is_set(const weft_future_t *future);

/* A sinc: so many submissions are expected, and their values are reduced to one. weft_sinc_init
 * makes one. */
typedef struct weft_sinc {
  uint64_t opaque[8];
} weft_sinc_t;

/* Reduces *value into *into. Called in no certain order, so it must be commutative and associative;
 * it must not call Weft. */
typedef void (*weft_reduce_t)(void *into, const void *value);

/// Make a sinc.
/// @param sinc         not in use
/// @param initial      what the values are reduced into first; copied; NULL if value_bytes is 0
/// @param value_bytes  size of a value, at most 16 MiB; 0: the sinc only counts
/// @param reduce       reduces two values; NULL if value_bytes is 0
/// @param expected     how many submissions are expected; 0 makes it complete for now
/// @return 0, -EINVAL, -ENOMEM
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    memory; release it by weft_sinc_destroy.
/// Source:  src/sync/README.md; as qt_sinc_init.
WEFT_API int weft_sinc_init(weft_sinc_t *sinc, const void *initial, size_t value_bytes,
                            weft_reduce_t reduce, uint32_t expected);

/// Release what a sinc owns. Nobody waits for it or submits to it.
/// @param sinc  the sinc; NULL does nothing
/// @return 0
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    the memory of weft_sinc_init is released.
/// Source:  as qt_sinc_fini.
WEFT_API int weft_sinc_destroy(weft_sinc_t *sinc);

/// Begin anew, with the initial value. Nobody waits for the sinc or submits to it.
/// @param sinc      the sinc
/// @param expected  how many submissions are expected
/// @return 0, -EINVAL (sinc is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as qt_sinc_reset.
WEFT_API int weft_sinc_reset(weft_sinc_t *sinc, uint32_t expected);

/// Expect more submissions. By one who has yet to submit, or before anybody waits, so that nobody
/// goes on too early.
/// @param sinc  the sinc
/// @param more  how many
/// @return 0, -EINVAL (sinc is NULL), -EOVERFLOW (more than UINT32_MAX would be expected)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as qt_sinc_expect.
WEFT_API int weft_sinc_expect(weft_sinc_t *sinc, uint32_t more);

/// Submit a value. The last one expected completes the sinc, and all who wait go on.
/// @param sinc   the sinc
/// @param value  copied or reduced before the return; NULL only counts
/// @return 0, -EINVAL (sinc is NULL, or nothing is expected; where the last one expected comes at
///         the same time, value may count all the same)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before the return of those that wait.
/// Owns:    value is borrowed.
/// Source:  as qt_sinc_submit.
WEFT_API int weft_sinc_submit(weft_sinc_t *sinc, const void *value);

/// Wait until all that is expected was submitted, and get the reduced value.
/// @param sinc    the sinc
/// @param result  receives value_bytes bytes; may be NULL
/// @return 0, -EINVAL (sinc is NULL), -EPERM (would wait, and the caller is stackless), -ECANCELED
///         (weft/cancel.h), -ENOMEM
/// Context: any thread.   Blocks: until the sinc is complete.
/// Order:   all submissions happen-before the return.
/// Owns:    nothing.
/// Source:  as qt_sinc_wait.
WEFT_API int weft_sinc_wait(weft_sinc_t *sinc, void *result) WEFT_MAY_PARK;

/// Get the reduced value if all that is expected was submitted.
/// @param sinc    the sinc
/// @param result  receives value_bytes bytes; may be NULL
/// @return 0, -EBUSY (not complete), -EINVAL (sinc is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_sinc_wait when it returns 0.
/// Owns:    nothing.
/// Source:  src/sync/README.md.
WEFT_API int weft_sinc_try_wait(weft_sinc_t *sinc, void *result);

/// Wait as weft_sinc_wait, or give up at a deadline.
/// @param sinc         the sinc
/// @param result       receives value_bytes bytes; may be NULL
/// @param deadline_ns  absolute, CLOCK_MONOTONIC
/// @return as weft_sinc_wait, or -ETIMEDOUT
/// Context: any thread.   Blocks: until the sinc is complete, or the deadline.
/// Order:   as weft_sinc_wait when it returns 0.
/// Owns:    nothing.
/// Source:  src/sync/README.md.
WEFT_API int weft_sinc_wait_until(weft_sinc_t *sinc, void *result,
                                  int64_t deadline_ns) WEFT_MAY_PARK;

#endif /* WEFT_SYNC_H */
