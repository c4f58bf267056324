/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutexes, conditions, reader/writer locks: for tasks and for threads outside Weft alike. */
#ifndef WEFT_LOCK_H
#define WEFT_LOCK_H

#include "weft/types.h"

/* All functions here work in a task, in any other thread, and whether Weft runs or not. Who must
 * wait parks (a task) or sleeps in the kernel (another thread); nobody polls. In a stackless task a
 * call that would have to wait gives -EPERM.
 *
 * In the scope of a canceller (weft/cancel.h) who would have to wait, or waits, gets -ECANCELED.
 *
 * Deadlines are absolute, in nanoseconds of CLOCK_MONOTONIC. A deadline that has passed makes a
 * call try once; INT64_MAX is no deadline.
 *
 * Nothing has to be destroyed: an object that nobody uses any more is so many bytes of memory. Who
 * has got a lock may free it, though its last owner's unlock may not have returned yet. */

/* A mutual exclusion lock. Zero, or WEFT_MUTEX_INIT, is a plain one that is open. */
typedef struct weft_mutex {
  uint64_t opaque[4];
} weft_mutex_t;

#define WEFT_MUTEX_INIT {{0}}

enum {
  WEFT_MUTEX_RECURSIVE = 1u << 0, /* its owner may lock it again; nobody else may unlock it */
  WEFT_MUTEX_HAND_OVER = 1u << 1  /* an unlock gives it to the first who waits, without exception */
};

/// Make a mutex of a certain kind.
/// Who comes at the right moment may get it before those who wait; the first of those is woken in
/// vain twice at most. With WEFT_MUTEX_HAND_OVER it is strictly first in, first out, which costs a
/// switch for each lock while many want it.
/// @param mutex  not in use
/// @param flags  WEFT_MUTEX_* or-ed together, or 0
/// @return 0, -EINVAL (mutex is NULL, or a flag unknown)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing; mutex is the caller's.
/// Source:  src/sync/README.md; as pthread_mutex_init.
WEFT_API int weft_mutex_init(weft_mutex_t *mutex, uint32_t flags);

/// Lock a mutex, after those who have waited longer, or before.
/// @param mutex  the mutex
/// @return 0, -EINVAL (mutex is NULL), -EPERM (it is held, and the caller is stackless), -ECANCELED
///         (weft/cancel.h), -ENOMEM (no stack for others to run on meanwhile), -EAGAIN (recursive,
///         and locked too often)
/// Context: any thread.   Blocks: while another holds it, and for ever if the caller does (unless
///          it is recursive).
/// Order:   the unlock before happens-before the return.
/// Owns:    the mutex, until weft_mutex_unlock.
/// Source:  src/sync/README.md; as pthread_mutex_lock.
WEFT_API int weft_mutex_lock(weft_mutex_t *mutex) WEFT_MAY_PARK;

/// Lock a mutex if it is open.
/// @param mutex  the mutex
/// @return 0, -EBUSY (it is held), -EINVAL, -EAGAIN as weft_mutex_lock
/// Context: any thread.   Blocks: never.
/// Order:   as weft_mutex_lock when it returns 0.
/// Owns:    as weft_mutex_lock.
/// Source:  as pthread_mutex_trylock.
WEFT_API int weft_mutex_try_lock(weft_mutex_t *mutex);

/// Lock a mutex, or give up at a deadline.
/// @param mutex        the mutex
/// @param deadline_ns  absolute, CLOCK_MONOTONIC
/// @return 0, -ETIMEDOUT, or as weft_mutex_lock
/// Context: any thread.   Blocks: while another holds it, until the deadline.
/// Order:   as weft_mutex_lock when it returns 0.
/// Owns:    as weft_mutex_lock.
/// Source:  as pthread_mutex_clocklock.
WEFT_API int weft_mutex_lock_until(weft_mutex_t *mutex, int64_t deadline_ns) WEFT_MAY_PARK;

/// Unlock a mutex.
/// A plain mutex does not know its owner: whoever the program has do so may unlock it.
/// @param mutex  the mutex
/// @return 0, -EINVAL (mutex is NULL), -EPERM (it is open, or recursive and not the caller's)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before the next lock.
/// Owns:    gives the mutex up.
/// Source:  as pthread_mutex_unlock.
WEFT_API int weft_mutex_unlock(weft_mutex_t *mutex);

/* A condition. Zero, or WEFT_CONDITION_INIT, is one that nobody waits for. It may be freed when all
 * who waited have returned; that they were signalled is not enough. */
typedef struct weft_condition {
  uint64_t opaque[2];
} weft_condition_t;

#define WEFT_CONDITION_INIT {{0}}

/// Give a mutex up and wait for a signal, then have the mutex again.
/// There is no return without a signal, but what was signalled may have changed before the mutex
/// was had again, so the usual loop around the call is needed all the same.
/// @param condition  the condition
/// @param mutex      held by the caller; a recursive one is given up however often it was locked
/// @return 0, -EINVAL (NULL), -EPERM (mutex is not held, or the caller is stackless), -ECANCELED
///         (weft/cancel.h; no signal was used up), -ENOMEM; after 0 and -ECANCELED the mutex, given
///         up meanwhile, is the caller's again, and after the others it was never given up
/// Context: any thread.   Blocks: until a signal and until the mutex is open.
/// Order:   the signal, and the unlock before, happen-before the return; after -ECANCELED the
///          unlock alone.
/// Owns:    the mutex again.
/// Source:  src/sync/README.md; as pthread_cond_wait.
WEFT_API int weft_condition_wait(weft_condition_t *condition, weft_mutex_t *mutex) WEFT_MAY_PARK;

/// The same, giving up at a deadline.
/// @param condition    the condition
/// @param mutex        held by the caller
/// @param deadline_ns  absolute, CLOCK_MONOTONIC
/// @return as weft_condition_wait, or -ETIMEDOUT (no signal was used up; the mutex, given up
///         meanwhile, is the caller's again)
/// Context: any thread.   Blocks: until a signal or the deadline, and until the mutex is open.
/// Order:   as weft_condition_wait; after -ETIMEDOUT the unlock before happens-before the return.
/// Owns:    the mutex again.
/// Source:  as pthread_cond_clockwait.
WEFT_API int weft_condition_wait_until(weft_condition_t *condition, weft_mutex_t *mutex,
                                       int64_t deadline_ns) WEFT_MAY_PARK;

/// Let the first who waits for the condition go on, if somebody does.
/// @param condition  the condition
/// @return 0, -EINVAL (condition is NULL)
/// Context: any thread, with or without the mutex.   Blocks: never.
/// Order:   what precedes the call happens-before the waiter's return.
/// Owns:    nothing.
/// Source:  as pthread_cond_signal.
WEFT_API int weft_condition_signal(weft_condition_t *condition);

/// Let all who wait for the condition go on, one after the other as they get the mutex.
/// @param condition  the condition
/// @return 0, -EINVAL (condition is NULL)
/// Context: any thread, with or without the mutex.   Blocks: never.
/// Order:   as weft_condition_signal, for each.
/// Owns:    nothing.
/// Source:  as pthread_cond_broadcast.
WEFT_API int weft_condition_broadcast(weft_condition_t *condition);

/* A lock for many readers or one writer. Zero, or WEFT_RWLOCK_INIT, is an open one. While both
 * wait, writers and phases of readers take turns: neither sort starves. A reader that locks once
 * more while a writer waits therefore waits for that writer, and for ever: read locks do not nest.
 */
typedef struct weft_rwlock {
  uint64_t opaque[3];
} weft_rwlock_t;

#define WEFT_RWLOCK_INIT {{0}}

/// Lock to read.
/// @param lock  the lock
/// @return 0, -EINVAL (lock is NULL), -EPERM (would wait, and the caller is stackless), -ECANCELED
///         (weft/cancel.h), -ENOMEM
/// Context: any thread.   Blocks: while a writer has the lock or waits for it.
/// Order:   the write unlock before happens-before the return.
/// Owns:    a share of the lock, until weft_rwlock_read_unlock.
/// Source:  src/sync/README.md; as pthread_rwlock_rdlock.
WEFT_API int weft_rwlock_read_lock(weft_rwlock_t *lock) WEFT_MAY_PARK;

/// Lock to read if that needs no wait.
/// @param lock  the lock
/// @return 0, -EBUSY (a writer has the lock or waits for it), -EINVAL (lock is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_rwlock_read_lock when it returns 0.
/// Owns:    as weft_rwlock_read_lock.
/// Source:  as pthread_rwlock_tryrdlock.
WEFT_API int weft_rwlock_try_read_lock(weft_rwlock_t *lock);

/// Lock to read, or give up at a deadline.
/// @param lock         the lock
/// @param deadline_ns  absolute, CLOCK_MONOTONIC
/// @return 0, -ETIMEDOUT, or as weft_rwlock_read_lock
/// Context: any thread.   Blocks: as weft_rwlock_read_lock, until the deadline.
/// Order:   as weft_rwlock_read_lock when it returns 0.
/// Owns:    as weft_rwlock_read_lock.
/// Source:  as pthread_rwlock_clockrdlock.
WEFT_API int weft_rwlock_read_lock_until(weft_rwlock_t *lock, int64_t deadline_ns) WEFT_MAY_PARK;

/// Give a read lock up.
/// @param lock  the lock
/// @return 0, -EINVAL (lock is NULL), -EPERM (no reader has it)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before the next write lock.
/// Owns:    gives the share up.
/// Source:  as pthread_rwlock_unlock.
WEFT_API int weft_rwlock_read_unlock(weft_rwlock_t *lock);

/// Lock to write.
/// @param lock  the lock
/// @return 0, -EINVAL (lock is NULL), -EPERM (would wait, and the caller is stackless), -ECANCELED
///         (weft/cancel.h), -ENOMEM
/// Context: any thread.   Blocks: while anybody has the lock.
/// Order:   the unlocks before happen-before the return.
/// Owns:    the lock, until weft_rwlock_write_unlock.
/// Source:  src/sync/README.md; as pthread_rwlock_wrlock.
WEFT_API int weft_rwlock_write_lock(weft_rwlock_t *lock) WEFT_MAY_PARK;

/// Lock to write if nobody has the lock.
/// @param lock  the lock
/// @return 0, -EBUSY (somebody has it), -EINVAL (lock is NULL)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_rwlock_write_lock when it returns 0.
/// Owns:    as weft_rwlock_write_lock.
/// Source:  as pthread_rwlock_trywrlock.
WEFT_API int weft_rwlock_try_write_lock(weft_rwlock_t *lock);

/// Lock to write, or give up at a deadline.
/// @param lock         the lock
/// @param deadline_ns  absolute, CLOCK_MONOTONIC
/// @return 0, -ETIMEDOUT, or as weft_rwlock_write_lock
/// Context: any thread.   Blocks: while anybody has the lock, until the deadline.
/// Order:   as weft_rwlock_write_lock when it returns 0.
/// Owns:    as weft_rwlock_write_lock.
/// Source:  as pthread_rwlock_clockwrlock.
WEFT_API int weft_rwlock_write_lock_until(weft_rwlock_t *lock, int64_t deadline_ns) WEFT_MAY_PARK;

/// Give the write lock up.
/// @param lock  the lock
/// @return 0, -EINVAL (lock is NULL), -EPERM (no writer has it)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before the next lock of either sort.
/// Owns:    gives the lock up.
/// Source:  as pthread_rwlock_unlock.
WEFT_API int weft_rwlock_write_unlock(weft_rwlock_t *lock);

#endif /* WEFT_LOCK_H */
