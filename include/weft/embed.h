/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For runtimes that stand on Weft: a record of their own for each task, tasks whose end fills a
 * word, hand-off to a chosen worker, how long workers spin, and OS threads of theirs that are
 * workers for a while. Deques of a group of workers with an admission test, pools and schedulers:
 * weft/pool.h; messages: weft/message.h; sticky tasks and slots: weft/task.h. */
#ifndef WEFT_EMBED_H
#define WEFT_EMBED_H

#include "weft/task.h"
#include "weft/word.h"

/// Keep a pointer with the caller's task, for whoever made the task, on a thread that visits the
/// task (weft_task_visit) as well; weft_task_record gives it back. There is one in a task, so a
/// record that several libraries may meet begins with a mark of its owner.
/// @param record  any pointer into user memory
/// @return 0, -EPERM (outside a task)
/// Context: a task.   Blocks: never.
/// Order:   none.
/// Owns:    the record stays the caller's; it is forgotten at the task's end.
/// Source:  docs/design/0017-qthreads.md; unlike weft_slot_set it costs no memory.
WEFT_API int weft_task_set_record(void *record);

/// The pointer that the caller's task was given, on a thread that visits the task (weft_task_visit)
/// as well.
/// @return the record, or NULL: none was set, or outside a task
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0017-qthreads.md.
WEFT_API void *weft_task_record(void);

/// Spawn a detached task with two pointers that it can ask for by weft_task_origin: so what stands
/// above needs no memory of its own for a task that waits for its start.
/// @param fn      what to run; not NULL
/// @param arg     passed to fn
/// @param origin  reports name it as where the task was spawned, a function for instance; any
///         pointer
/// @param object  any pointer to 8 aligned bytes, or NULL
/// @return 0, -EINVAL (fn NULL, object misaligned), -ENOMEM, and as weft_start where that has not
///         been called
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   what precedes the call happens-before fn(arg).
/// Owns:    nothing; neither pointer is followed.
/// Source:  docs/design/0017-qthreads.md.
WEFT_API int weft_task_spawn_for(weft_fn_t fn, void *arg, void *origin, void *object);

/// The same for a word, which is emptied, and which the task fills at its end by
/// weft_word_write_last. Who waits to read the word, and finds the task unstarted among the newest
/// of its own queue, runs it next, as that of weft_task_spawn_producer; but the word does not name
/// the task.
/// @param fn      what to run; not NULL; it calls weft_word_write_last once
/// @param arg     passed to fn
/// @param origin  as weft_task_spawn_for
/// @param word    the object of weft_task_origin, emptied before the task can run
/// @return as weft_task_spawn_for; -EINVAL also: word NULL
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   what precedes the call happens-before fn(arg).
/// Owns:    word is borrowed until weft_word_write_last.
/// Source:  docs/design/0017-qthreads.md; as qthread_fork with a return location.
WEFT_API int weft_task_spawn_filler(weft_fn_t fn, void *arg, void *origin, uint64_t *word);

/// What the caller was given by weft_task_spawn_for or weft_task_spawn_filler, on a thread that
/// visits the task (weft_task_visit) as well.
/// @param object  receives the object; may be NULL
/// @return the origin; of a task that was spawned otherwise where that was, with NULL as its
///         object, or its word (weft_task_spawn_producer); NULL outside a task
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0017-qthreads.md.
WEFT_API void *weft_task_origin(void **object);

/// Write the value of a task of weft_task_spawn_filler, as weft_word_write_f: the last that the
/// task does.
/// @param word   of the spawn
/// @param value  what to write
/// @return 0, -EINVAL (NULL, or misaligned), -ENOMEM
/// Context: that task, once.   Blocks: never.
/// Order:   what precedes the call happens-before the return of who reads the value.
/// Owns:    the word is the caller's of the spawn again.
/// Source:  docs/design/0017-qthreads.md; as weft_word_produce.
WEFT_API int weft_word_write_last(uint64_t *word, uint64_t value);

/* What names the task that will fill a word. Plain memory; from the spawn to weft_word_produce it
 * is the runtime's. */
typedef struct weft_producer {
  uint64_t opaque[16];
} weft_producer_t;

/// Empty a word and spawn a task that will fill it by weft_word_produce. Who waits to read the
/// word, and finds the task unstarted in its own queue, runs it next: a read of the word is a join
/// that a third party may end. Nobody can join the task otherwise.
/// @param fn        what to run; not NULL; it calls weft_word_produce once
/// @param arg       passed to fn, or copied first (spawn->copy_bytes)
/// @param spawn     how, borrowed during the call; NULL: as weft_task_spawn. Not WORK_FIRST.
/// @param word      emptied before the task can run
/// @param producer  not in use
/// @return 0, and as weft_task_spawn_with; -EINVAL also: WORK_FIRST, producer NULL, word NULL or
///         misaligned
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   what precedes the call happens-before fn(arg).
/// Owns:    producer and word are borrowed until weft_word_produce.
/// Source:  docs/design/0011-full-empty.md; as qthread_fork with a return location.
WEFT_API int weft_task_spawn_producer(weft_fn_t fn, void *arg, const weft_spawn_t *spawn,
                                      uint64_t *word, weft_producer_t *producer);

/// What a runtime above is told of a wait: 1 when it begins, before anybody can end it; 0 when it
/// is over. It may not call Weft.
typedef void (*weft_wait_note_t)(int begins);

/// weft_word_read_ff for runtimes that count who waits.
/// @param word  the word
/// @param out   receives the value; may be NULL or the word itself, which stays as it is
/// @param note  called with 1 and then with 0 for each time that it waits; not NULL
/// @return as weft_word_read_ff; -EINVAL also: note NULL
/// Context: any thread, before the start too.   Blocks: until the word is full.
/// Order:   what preceded the fill happens-before the return.
/// Owns:    nothing.
/// Source:  docs/design/0017-qthreads.md; as qthread_readFF.
WEFT_API int weft_word_read_ff_noted(const uint64_t *word, uint64_t *out,
                                     weft_wait_note_t note) WEFT_MAY_PARK;

/// weft_word_read_fe for runtimes that count who waits.
/// @param word  the word
/// @param out   receives the value; may be NULL or the word itself, which stays as it is
/// @param note  called with 1 and then with 0 for each time that it waits; not NULL
/// @return as weft_word_read_fe; -EINVAL also: note NULL
/// Context: any thread, before the start too.   Blocks: until the word is full.
/// Order:   what preceded the fill happens-before the return.
/// Owns:    nothing.
/// Source:  docs/design/0017-qthreads.md; as qthread_readFE.
WEFT_API int weft_word_read_fe_noted(uint64_t *word, uint64_t *out,
                                     weft_wait_note_t note) WEFT_MAY_PARK;

/// weft_word_write_ef for runtimes that count who waits.
/// @param word   the word
/// @param value  what to write
/// @param note   called with 1 and then with 0 for each time that it waits; not NULL
/// @return as weft_word_write_ef; -EINVAL also: note NULL
/// Context: any thread, before the start too.   Blocks: until the word is empty.
/// Order:   what precedes the call happens-before the return of who reads the value.
/// Owns:    nothing.
/// Source:  docs/design/0017-qthreads.md; as qthread_writeEF.
WEFT_API int weft_word_write_ef_noted(uint64_t *word, uint64_t value,
                                      weft_wait_note_t note) WEFT_MAY_PARK;

/// weft_word_write_ef of the value that the word itself has when it is filled.
/// @param word  the word
/// @param note  called with 1 and then with 0 for each time that it waits; not NULL
/// @return as weft_word_write_ef; -EINVAL also: note NULL
/// Context: any thread, before the start too.   Blocks: until the word is empty.
/// Order:   what precedes the call happens-before the return of who reads the value.
/// Owns:    nothing.
/// Source:  docs/design/0017-qthreads.md; as qthread_writeEF from the word itself.
WEFT_API int weft_word_fill_ef_noted(uint64_t *word, weft_wait_note_t note) WEFT_MAY_PARK;

/// The same if the word is empty now.
/// @param word  the word
/// @return 0, -EBUSY (it is not), -EINVAL (NULL or misaligned), -ENOMEM
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before the return of who reads the value.
/// Owns:    nothing.
/// Source:  as weft_word_fill_ef_noted.
WEFT_API int weft_word_try_fill_ef(uint64_t *word);

/* A task that waits at a word. */
typedef struct weft_word_waiter {
  const void *word; /* or the weft_syncvar_t */
  void *record;     /* of weft_task_set_record; NULL: it has set none, or has not begun */
  weft_fn_t fn; /* of a task that waits for the word to begin (weft_task_spawn_when); else NULL */
  void *arg;    /* of that task; else NULL */
  int is_syncvar;
} weft_word_waiter_t;

/// Is shown a task that waits. Its wait does not end meanwhile, nor does any other at a word beside
/// it: so it may not wait, and calls nothing of Weft's that uses words.
typedef void (*weft_word_visit_t)(const weft_word_waiter_t *waiter, void *arg);

/// Visit each task that waits at a word or a syncvar, and each that waits for words to begin, in no
/// order. A task that waits for several is met at each at which it stands; a reader for whom the
/// task is running that will fill its word is met when that task waits, too.
/// @param visit  called once for each; not NULL
/// @param arg    passed to visit
/// @return 0, -EINVAL (visit is NULL)
/// Context: any thread, before the start too. In a signal handler it may wait for ever for what the
///          signal interrupted.
/// Blocks:  never; but what others do with words may wait for it.
/// Order:   what precedes the wait of a task happens-before the visit, and that before the wait's
///          end.
/// Owns:    waiter until the return of visit.
/// Source:  docs/design/0017-qthreads.md; as qthread_feb_callback.
WEFT_API int weft_word_visit_waiters(weft_word_visit_t visit, void *arg);

/// Write the word that the caller's task was spawned to fill, and fill it, whatever its state by
/// now. The task ends soon after, and waits for nothing more: its reader goes on when it has ended.
/// @param word      of the spawn
/// @param producer  of the spawn
/// @param value     what to write
/// @return 0, -EINVAL (NULL, or word misaligned), -ENOMEM (in the child of a fork() alone)
/// Context: the task that was spawned for it, once.   Blocks: never.
/// Order:   what precedes the call happens-before the return of who reads the value.
/// Owns:    producer is the caller's again.
/// Source:  docs/design/0011-full-empty.md; as weft_word_write_f.
WEFT_API int weft_word_produce(uint64_t *word, weft_producer_t *producer, uint64_t value);

/// Instead of weft_word_produce, for a task that has no value after all: if the word waits for this
/// task still it is full again, with what stands there; else nothing happens. Memory of the word is
/// not written.
/// @param word      of the spawn
/// @param producer  of the spawn
/// @return 0, -EINVAL (NULL, or word misaligned)
/// Context: the task that was spawned for it, once.   Blocks: never.
/// Order:   as weft_word_fill.
/// Owns:    producer is the caller's again.
/// Source:  docs/design/0017-qthreads.md; as the end of a task by qt_team_eureka.
WEFT_API int weft_word_disown(uint64_t *word, weft_producer_t *producer);

/// Have a worker run a task next, before all that waits there (as a rule: 60 picks of 61), woken at
/// once. Afterwards the task is as free as before. Several are run in the order in which they came.
/// For a task that has not begun see WEFT_SPAWN_NEXT.
/// @param task    the caller, or NULL: it goes on there; or one that is in weft_task_suspend
/// @param worker  0 to weft_worker_count() - 1
/// @return 0, -EBUSY (the task is not suspended), -EDEADLK (it waits beneath the caller on its
///         stack), -ENOMEM (no stack for others to run on; nothing happened), -ENOTCONN (Weft does
///         not run), -EPERM (the caller is stackless or no task; the task belongs to another worker
///         or shepherd, or to a pool that this worker does not serve), -ERANGE (no such worker, or
///         it is gone)
/// Context: any thread.   Blocks: the caller that hands itself off, until that worker takes it up;
///          others never.
/// Order:   what precedes the call happens-before what the task does next.
/// Owns:    the handle stays the caller's.
/// Source:  docs/design/0024-embedding.md; as CthAwaken with a priority, ABT_self_yield_to on
///          another stream.
WEFT_API int weft_task_hand_off(weft_task_t task, uint32_t worker) WEFT_MAY_PARK;

/// What is given a task that leaves the workers, once, on the worker that it leaves: it passes
/// `task` on to a thread, which calls weft_task_visit. It may not wait, nor call Weft.
typedef void (*weft_leave_t)(void *task, void *arg);

/// Leave the workers: go on, on the same stack, on an OS thread of the program's that is no worker,
/// while the worker runs other tasks. There the caller may block as it likes. To Weft it is a
/// thread outside: weft_task_self is NULL, what waits holds the thread. It calls weft_task_return
/// before it ends.
/// @param give  is given the caller; not NULL
/// @param arg   passed to give
/// @return 0, -EINVAL (give is NULL), -EPERM (outside a task; the thread that started Weft or a
///         guest; a stackless task), -EDEADLK (the caller was called on such a thread's own stack),
///         -ENOMEM: give was not called
/// Context: a task.   Blocks: until a thread calls weft_task_visit. weft_stop waits for the task's
///          end.
/// Order:   what precedes the call happens-before the return; what precedes weft_task_visit too.
/// Owns:    arg is borrowed until give returns.
/// Source:  docs/design/0017-qthreads.md; as qt_begin_blocking_action.
WEFT_API int weft_task_leave(weft_leave_t give, void *arg) WEFT_MAY_PARK;

/// Run a task that has left the workers on the calling thread, until it calls weft_task_return.
/// @param task  what weft_leave_t was given, once
/// @return 0, -EINVAL (task is NULL), -EPERM (the caller is a worker, or runs a task already)
/// Context: an OS thread that is no worker.   Blocks: until weft_task_return.
/// Order:   what the task does there happens-before the return.
/// Owns:    the task, until the return.
/// Source:  docs/design/0017-qthreads.md.
WEFT_API int weft_task_visit(void *task);

/// Go back to the workers, where the caller stays bound to what it was bound to.
/// @return 0, -EPERM (the caller has not left)
/// Context: a task that called weft_task_leave.   Blocks: until a worker takes the caller up.
/// Order:   what precedes the call happens-before the return.
/// Owns:    nothing.
/// Source:  docs/design/0017-qthreads.md; as qt_end_blocking_action.
WEFT_API int weft_task_return(void) WEFT_MAY_PARK;

/* For weft_worker_set_spin: as WEFT_SPIN_US says. */
#define WEFT_SPIN_DEFAULT (-1)

/// Set how long a worker watches for work before it sleeps in the kernel, from where a wake takes
/// longer. One that watches now follows at once. Called by a task for its own worker around a wait,
/// it is the budget of that wait.
/// @param worker   0 to weft_worker_count() - 1, guests and carriers too, or WEFT_ANYWHERE: all
/// @param spin_ns  nanoseconds, 0 (it sleeps at once) to 1,000,000,000; or WEFT_SPIN_DEFAULT
/// @return 0, -EINVAL (spin_ns is out of range), -ERANGE (no such worker), -ENOTCONN (Weft does not
///         run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing; a worker that is removed and added again keeps what was set.
/// Source:  docs/design/0024-embedding.md; as kmp_set_blocktime, for one worker.
WEFT_API int weft_worker_set_spin(uint32_t worker, int64_t spin_ns);

/// How long a worker watches for work before it sleeps.
/// @param worker  0 to weft_worker_count() - 1
/// @return 0 or more: nanoseconds; -ERANGE (no such worker), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as kmp_get_blocktime.
WEFT_API int64_t weft_worker_spin(uint32_t worker);

/// Make the calling OS thread a worker, with its queues and all else, and what runs on it a task of
/// that worker, which is bound there: it may spawn, join and wait as any task, and while it waits
/// its worker runs others.
/// @param worker  one that is gone: see weft_worker_remove
/// @return 0, -EBUSY (the worker is not gone), -EPERM (the caller is a worker, or visits a task,
///         weft_task_visit), -ENOMEM, -ERANGE (no such worker), -ENOTCONN (Weft does not run)
/// Context: an OS thread that is no worker.   Blocks: until that worker's thread before has ended.
/// Order:   none.
/// Owns:    the worker; release it by weft_guest_end before the thread ends. weft_stop is refused
///          until then, and a thread that started Weft and ends waits for it (weft/runtime.h).
///          A call may meet weft_start or weft_stop in another thread: Weft runs for it, or does
///          not.
/// Source:  docs/design/0019-presence.md; as ABT_init on a thread, kmp's foreign threads.
WEFT_API int weft_guest_begin(uint32_t worker);

/// End weft_guest_begin: the calling thread is no worker any more, and the worker is gone. What
/// lies in its queues goes to others.
/// @return 0, -EBUSY (other tasks are bound to this worker, or no other worker is enabled), -EPERM
///         (the caller is no guest)
/// Context: the task that began it.   Blocks: never.
/// Order:   none.
/// Owns:    the worker is released.
/// Source:  docs/design/0019-presence.md.
WEFT_API int weft_guest_end(void);

/// Run tasks on the calling OS thread, as the thread of a worker, until that is removed again or
/// Weft stops.
/// @param worker  one that is gone: see weft_worker_remove
/// @return 0, -EBUSY (the worker is not gone), -EPERM (the caller is a worker, or visits a task,
///         weft_task_visit), -ENOMEM, -ERANGE (no such worker), -ENOTCONN (Weft does not run)
/// Context: an OS thread that is no worker; a weft_start or weft_stop in another thread may come at
///          the same time.
/// Blocks:  until weft_worker_remove or weft_stop.
/// Order:   everything that ran there happens-before the return.
/// Owns:    the worker, until the return.
/// Source:  docs/design/0019-presence.md; as io_context::run of Boost.Asio.
WEFT_API int weft_worker_carry(uint32_t worker);

#endif /* WEFT_EMBED_H */
