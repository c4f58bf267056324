/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places: the machine's shepherds and their workers, and how far they are from each other. */
#ifndef WEFT_PLACE_H
#define WEFT_PLACE_H

#include "weft/types.h"

/* A machine has shepherds, a shepherd has workers. What the workers of a shepherd share (a core, a
 * cache, a memory, a socket, the machine) is said by WEFT_SHEPHERD, or follows from the machine
 * where WEFT_BIND keeps workers in their places. The workers of a shepherd have numbers in a row.
 * Thieves try their own shepherd first, then the nearest. None of this changes while Weft runs.
 *
 * A worker that is disabled takes no task but those that are bound to it: what was spawned to it,
 * what is sticky there. All others that lie in its queues go to other workers; it steals nothing. A
 * shepherd is disabled with all of its workers; its tasks are then run by the nearest that is not,
 * and go back to being its own when it is enabled again.
 *
 * With WEFT_FOLLOW_CPUS=1 workers for which the process has no processor any more are as if
 * disabled, until it has. */

/// The number of shepherds of the running runtime.
/// @return 1 to weft_worker_count(), or 0 when Weft is not running
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as qthread_num_shepherds.
WEFT_API uint32_t weft_shepherd_count(void);

/// The shepherd whose worker runs the caller now. After a call that may park the answer may differ.
/// @return 0 to weft_shepherd_count() - 1, or WEFT_ANYWHERE outside a worker
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as qthread_shep.
WEFT_API uint32_t weft_shepherd_index(void);

/// The workers of a shepherd: their numbers are in a row.
/// @param shepherd  0 to weft_shepherd_count() - 1
/// @param first     receives the number of its first worker; may be NULL
/// @return 1 or more: how many they are; -ERANGE (no such shepherd), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as qthread_num_workers_local.
WEFT_API int weft_shepherd_workers(uint32_t shepherd, uint32_t *first);

/// How far two shepherds are from each other, by the first processor of each: what they share, as
/// the hardware says.
/// @param from  0 to weft_shepherd_count() - 1
/// @param to    the same
/// @return 0 (the same one), 1 (they share a core), 2 (a level-2 cache), 3 (a level-3 cache), 10 (a
///         memory); 11 or more: as far as the firmware says of their memories, 20 where it says
///         nothing; -ERANGE (no such shepherd), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as qthread_distance.
WEFT_API int weft_shepherd_distance(uint32_t from, uint32_t to);

/// All shepherds, `from` first, the nearest next: the order in which its workers look for work.
/// @param from  0 to weft_shepherd_count() - 1
/// @param out   receives up to room of them
/// @param room  how many fit
/// @return 1 or more: weft_shepherd_count(); -EINVAL (out is NULL and room is not 0), -ERANGE (no
///         such shepherd), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    out is the caller's.
/// Source:  docs/design/0013-places.md; as qthread_sorted_sheps.
WEFT_API int weft_shepherd_near(uint32_t from, uint32_t *out, size_t room);

/// The shepherd that a worker belongs to.
/// @param worker  0 to weft_worker_count() - 1
/// @return 0 or more: its shepherd; -ERANGE (no such worker), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as qthread_worker.
WEFT_API int weft_worker_shepherd(uint32_t worker);

/// Let a worker take no task but those that are bound to it, from its next pick on. A task that
/// runs there goes on until it blocks, yields or ends; what it leaves in the worker's queues goes
/// to others then.
/// @param worker  0 to weft_worker_count() - 1
/// @return 0 (also when it is disabled already), -EBUSY (no other worker is enabled), -ERANGE (no
///         such worker), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0019-presence.md; as qthread_disable_worker.
WEFT_API int weft_worker_disable(uint32_t worker);

/// Let a worker take any task again. One that was removed, or is to go, is not added by that: see
/// weft_worker_add.
/// @param worker  0 to weft_worker_count() - 1
/// @return 0 (also when it was not disabled), -ERANGE (no such worker), -ENOTCONN (Weft does not
///         run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0019-presence.md; as qthread_enable_worker.
WEFT_API int weft_worker_enable(uint32_t worker);

/// Whether a worker takes any task: it was not disabled, or was enabled again; and, with
/// WEFT_FOLLOW_CPUS=1, there is a processor for it.
/// @param worker  0 to weft_worker_count() - 1
/// @return 1 or 0; -ERANGE (no such worker), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0019-presence.md.
WEFT_API int weft_worker_is_enabled(uint32_t worker);

/// Disable all workers of a shepherd. Until one of them is enabled, the shepherd's tasks, also
/// those spawned meanwhile, run on the nearest shepherd that has enabled workers.
/// @param shepherd  0 to weft_shepherd_count() - 1
/// @return 0 (also when they are disabled already), -EBUSY (no other worker is enabled), -ERANGE
///         (no such shepherd), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0019-presence.md; as qthread_disable_shepherd.
WEFT_API int weft_shepherd_disable(uint32_t shepherd);

/// Enable all workers of a shepherd but those that were removed: see weft_shepherd_add.
/// @param shepherd  0 to weft_shepherd_count() - 1
/// @return 0 (also when they are enabled already), -ERANGE (no such shepherd), -ENOTCONN (Weft does
///         not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0019-presence.md; as qthread_enable_shepherd.
WEFT_API int weft_shepherd_enable(uint32_t shepherd);

/// End a worker's thread: it is disabled, and goes once no task is bound to it (pinned, sticky
/// there, or in weft_scheduler_run). Its number stays, for weft_worker_add. Tasks cannot be sent to
/// it meanwhile.
/// @param worker       1 to weft_worker_count() - 1; 0 too where all workers are threads of Weft's
///         own
/// @param deadline_ns  until when to wait for tasks that are bound to it, a moment as
///         weft_time_now_ns counts; 0: do not wait
/// @return 0 (also when it is gone, or goes, already, or another call adds it meanwhile: then it
///         stays), -EINVAL (deadline_ns is negative), -EBUSY (tasks are bound to it, at
///         the deadline too; or no other worker is enabled: then nothing has changed), -EALREADY
///         (another call waits for the same), -EPERM (it is the thread that started Weft, or a
///         guest, weft_guest_begin), -ERANGE (no such worker), -ENOTCONN (Weft does not run, or was
///         stopped while a thread outside waited); and where it would wait, and nothing has
///         changed: -ECANCELED (weft/cancel.h), -EPERM (the caller is stackless), -ENOMEM (no stack
///         for others to run on)
/// Context: a task that is not bound to this worker, nor waits in a pool that no other enabled
///          worker serves, or any other thread.   Blocks: until the deadline. The thread ends when
///          the task that runs there has ended or parked, perhaps after the return.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0019-presence.md; as ABT_xstream_join.
WEFT_API int weft_worker_remove(uint32_t worker, int64_t deadline_ns) WEFT_MAY_PARK;

/// End the threads of all workers of a shepherd, or of none: they are disabled together, and go
/// once no task is bound to any of them. Its other tasks are run by the nearest shepherd, as when
/// it is disabled.
/// @param shepherd     0 to weft_shepherd_count() - 1
/// @param deadline_ns  until when to wait for tasks that are bound to them, a moment as
///         weft_time_now_ns counts; 0: do not wait
/// @return 0 (those that are gone, or go, already count, and those that another call adds
///         meanwhile, which stay), -EINVAL (deadline_ns is negative), -EBUSY (tasks are bound to
///         one of them, at the deadline too; or no other worker is enabled: then nothing has
///         changed), -EALREADY (another call waits for one of them), -EPERM (one is the thread that
///         started Weft, or a guest, weft_guest_begin), -ERANGE (no such shepherd), -ENOTCONN (Weft
///         does not run, or was stopped while a thread outside waited); and where it would wait,
///         and nothing has changed: -ECANCELED (weft/cancel.h), -EPERM (the caller is stackless),
///         -ENOMEM (no stack for others to run on)
/// Context: a task that is bound to none of these workers, nor waits in a pool that no other
///          enabled worker serves, or any other thread.   Blocks: until the deadline. Each thread
///          ends when the task that runs there has ended or parked, perhaps after the return.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0019-presence.md; as weft_worker_remove.
WEFT_API int weft_shepherd_remove(uint32_t shepherd, int64_t deadline_ns) WEFT_MAY_PARK;

/// Give a worker that was removed a thread again, and enable it.
/// @param worker  0 to weft_worker_count() - 1
/// @return 0 (also when it is there: then it is enabled), -EAGAIN (the system gives no more
///         threads), -ENOMEM, -ERANGE (no such worker), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: while a thread is made.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0019-presence.md; as ABT_xstream_revive.
WEFT_API int weft_worker_add(uint32_t worker);

/// Give all workers of a shepherd that were removed threads again, or none, and enable all.
/// @param shepherd  0 to weft_shepherd_count() - 1
/// @return 0 (also when they are there: then they are enabled), -EAGAIN (the system gives no more
///         threads), -ENOMEM, -ERANGE (no such shepherd), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: while threads are made.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0019-presence.md; as weft_worker_add.
WEFT_API int weft_shepherd_add(uint32_t shepherd);

/// Move a worker's thread to a processor, at its next pick.
/// @param worker     0 to weft_worker_count() - 1
/// @param processor  as weft_worker_processor counts them, or WEFT_ANYWHERE: where WEFT_BIND put
///         it, or where its thread ran before it was bound
/// @return 0, -ERANGE (no such worker; a processor that Weft did not find, or any where
///         WEFT_TOPOLOGY describes a machine), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never. If the processor was taken from the process meanwhile, the
///          thread stays where it is; also if the system does not tell where it may run, which one
///          line on standard error says once.
/// Order:   none.
/// Owns:    nothing; it holds until that thread is the worker's no more. A thread of the program's
///          runs then where it ran before.
/// Source:  docs/design/0019-presence.md; as ABT_xstream_set_cpubind.
WEFT_API int weft_worker_bind(uint32_t worker, uint32_t processor);

/// Move the threads of a shepherd's workers to processors, at the next pick of each: the first of
/// them to the first processor, and so on, from the first again when there are fewer.
/// @param shepherd    0 to weft_shepherd_count() - 1
/// @param processors  as weft_worker_processor counts them; may be NULL if count is 0
/// @param count       how many; 0: where WEFT_BIND put them, or where they ran before
/// @return 0, -EINVAL (processors is NULL and count is not 0), -ERANGE (no such shepherd; a
///         processor that Weft did not find, or any where WEFT_TOPOLOGY describes a machine: then
///         none has moved), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never. A thread whose processor was taken from the process
///          meanwhile, or whose processors the system does not tell, stays where it is.
/// Order:   none.
/// Owns:    processors is the caller's.
/// Source:  docs/design/0019-presence.md; as weft_worker_bind.
WEFT_API int weft_shepherd_bind(uint32_t shepherd, const uint32_t *processors, size_t count);

/// The processor that a worker's place stands for. Its thread is bound there only with
/// WEFT_BIND=worker.
/// @param worker  0 to weft_worker_count() - 1
/// @return 0 or more: the processor as the system numbers it; -ERANGE (no such worker), -ENOTCONN
///         (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as ABT_xstream_get_cpubind.
WEFT_API int weft_worker_processor(uint32_t worker);

#endif /* WEFT_PLACE_H */
