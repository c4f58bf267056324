/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks: spawn, join, yield, suspend, identity, task-local slots. */
#ifndef WEFT_TASK_H
#define WEFT_TASK_H

#include "weft/types.h"

/* Flags of one spawn; 0 is a full thread, help-first, free to move. */
enum {
  WEFT_SPAWN_WORK_FIRST = 1u << 0, /* run the child now; the rest of the caller can be stolen */
  WEFT_SPAWN_STACKLESS = 1u << 1,  /* the child never blocks: a blocking call in it gives -EPERM */
  WEFT_SPAWN_STICKY = 1u << 2,     /* once started, the child resumes only on the same worker */
  WEFT_SPAWN_SAVE_FP =
      1u << 3,               /* keep the child's rounding mode and exception masks across parks */
  WEFT_SPAWN_HIGH = 1u << 4, /* before tasks without this flag, as a rule; see below */
  WEFT_SPAWN_LOW = 1u << 5,  /* when a worker finds no others, as a rule */
  /* `worker` is one's number: the child is what it runs next, before all that waits there, as a
   * rule (60 picks of 61); several in the order in which they came. */
  WEFT_SPAWN_NEXT = 1u << 6
};

/* Priorities are a hint. Tasks of each level have at least one in 61 of a worker's picks while
 * there are some; a worker that meets those of another one anew may take 100 before its first. A
 * high task that yields waits as others do. A task that is bound to a worker has no priority: its
 * worker has them in order. What is spawned with a priority or to a shepherd costs a lock and is
 * never called inline by its joiner. */

/* Everything that can be said about one spawn. Set size to sizeof(weft_spawn_t), the rest to 0 and
 * worker to WEFT_ANYWHERE, or start from WEFT_SPAWN_INIT. */
typedef struct weft_spawn {
  size_t size;    /* sizeof(weft_spawn_t) as the caller knows it */
  uint32_t flags; /* WEFT_SPAWN_* or-ed together */
  /* The worker it must run on (never stolen); WEFT_SHEPHERD(s): any worker of that shepherd, there
   * alone; a weft_pool_t: workers that serve it; or WEFT_ANYWHERE. */
  uint32_t worker;
  size_t copy_bytes; /* if not 0: copy that many bytes from arg; fn receives the copy's address,
                         aligned to 16, valid until fn returns. At most 1 GiB. */
  const char *name;  /* for reports, or NULL; borrowed as long as the task lives */
  const uint64_t
      *key; /* for pools that order by key: the smallest goes first, compared word by word, missing
                         words as 0; copied */
  uint32_t key_words; /* of key, at most 1024; 0: no key, which goes before all others */
} weft_spawn_t;

#define WEFT_SPAWN_INIT {sizeof(weft_spawn_t), 0u, WEFT_ANYWHERE, 0u, NULL, NULL, 0u}

/// Spawn a task that runs fn(arg). Starts Weft if it does not run yet.
/// @param fn   what to run; not NULL
/// @param arg  passed to fn
/// @param out  receives the handle; NULL detaches the task
/// @return 0, -EINVAL (fn is NULL, or a WEFT_ variable is bad), -ENOMEM; -EAGAIN, -EEXIST as
///         weft_start
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   what precedes the call happens-before fn(arg).
/// Owns:    release *out by one weft_task_join or weft_task_detach; arg is borrowed until fn
///          returns.
/// Source:  docs/design/0004-tasks.md; as pthread_create, qthread_fork, ABT_thread_create.
WEFT_API int weft_task_spawn(weft_fn_t fn, void *arg, weft_task_t *out);

/// Spawn a task as spawn describes it.
/// @param fn     what to run; not NULL
/// @param arg    passed to fn, or copied first (spawn->copy_bytes)
/// @param spawn  how, borrowed during the call; NULL: as weft_task_spawn
/// @param out    receives the handle; NULL detaches the task
/// @return 0, -EINVAL (fn is NULL, an unknown flag, spawn->size is below sizeof(size_t), stackless
///         and work-first, high and low, copy without arg, key_words without key, NEXT without a
///         worker's number), -ERANGE (no such worker, shepherd or pool, the worker was removed,
///         copy or key too large), -EPERM (a private pool of which this worker is not the
///         consumer), -ENOMEM; -EINVAL, -EAGAIN, -EEXIST as weft_start
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never, but WORK_FIRST
///          may park.
/// Order:   what precedes the call happens-before fn.
/// Owns:    as weft_task_spawn.
/// Source:  docs/design/0004-tasks.md; as ABT_thread_create_to, myth_create_ex.
WEFT_API int weft_task_spawn_with(weft_fn_t fn, void *arg, const weft_spawn_t *spawn,
                                  weft_task_t *out) WEFT_MAY_PARK;

/// Spawn count tasks at once: task i runs fn((char *)args + i * stride). All are spawned or none.
/// @param fn      what to run; not NULL
/// @param args    first argument; may be NULL when stride is 0
/// @param stride  bytes from one argument to the next
/// @param count   number of tasks; 0 is allowed and does nothing
/// @param out     receives count handles; NULL detaches all
/// @return 0, -EINVAL (fn is NULL), -ENOMEM; -EINVAL, -EAGAIN, -EEXIST as weft_start
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   what precedes the call happens-before each fn.
/// Owns:    as weft_task_spawn, for each task.
/// Source:  docs/design/0004-tasks.md; as ABT_thread_create_many.
WEFT_API int weft_task_spawn_many(weft_fn_t fn, void *args, size_t stride, size_t count,
                                  weft_task_t *out);

/// Wait until a task has finished and release its handle.
/// A child that is unstarted in the caller's own queue, and not open to thieves yet, is called on
/// the caller's stack.
/// @param task    the task, not the caller itself
/// @param result  receives what fn returned; may be NULL
/// @return 0, -EINVAL (task is NULL), -EDEADLK (the caller itself, or a task that waits beneath the
///         caller on its stack), -EPERM (the caller is stackless and the task is not finished),
///         -ENOMEM (no stack for others to run on; nothing happened), -ENOTCONN (Weft does not run,
///         or the caller is no task and weft_stop abandons this one)
/// Context: a task or any other thread.   Blocks: until the task has finished.
/// Order:   everything the task did happens-before the return.
/// Owns:    the handle is released by a return of 0; joining it again is an error that is caught.
/// Source:  docs/design/0004-tasks.md; as pthread_join.
WEFT_API int weft_task_join(weft_task_t task, void **result) WEFT_MAY_PARK;

/// Join a task if it has finished already.
/// @param task    the task
/// @param result  receives what fn returned; may be NULL
/// @return 0, -EBUSY (not finished; the handle stays valid), -EINVAL (task is NULL), -ENOTCONN
///         (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_task_join when it returns 0.
/// Owns:    the handle is released by a return of 0.
/// Source:  as pthread_tryjoin_np.
WEFT_API int weft_task_try_join(weft_task_t task, void **result);

/// Join count tasks, from the last to the first.
/// @param tasks   the handles
/// @param count   how many
/// @param result  receives count results; may be NULL
/// @return 0, -EINVAL (a handle is NULL: nothing was joined), or as weft_task_join (the handles
///         behind the refused one are released and set to NULL)
/// Context: as weft_task_join.   Blocks: until all have finished.
/// Order:   as weft_task_join, for each.
/// Owns:    each handle that is joined is released and set to NULL.
/// Source:  as ABT_thread_join_many.
WEFT_API int weft_task_join_many(weft_task_t *tasks, size_t count, void **result) WEFT_MAY_PARK;

/// Spawn a task that starts when others are done. It joins them: their results are dropped. Until
/// then it costs its descriptor and a note of them. For tasks that several others depend on, see
/// weft_task_spawn_when.
/// @param fn     what to run; not NULL
/// @param arg    passed to fn, or copied first (spawn->copy_bytes)
/// @param spawn  how, borrowed during the call; NULL: as weft_task_spawn. Not WORK_FIRST.
/// @param tasks  the others: handles that nobody waits for, each once
/// @param count  how many; 0 is allowed
/// @param out    receives the handle; NULL detaches the task
/// @return 0, and as weft_task_spawn_with; -EINVAL also: WORK_FIRST, a handle NULL; -ENOTCONN (Weft
///         does not run, and there are others)
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   what preceded the call, and everything the others did, happens-before fn.
/// Owns:    as weft_task_spawn; after 0 the others' handles are released and set to NULL; out may
///          be the place of one of them.
/// Source:  src/sync/README.md; as omp task depend, tbb::flow::continue_node.
WEFT_API int weft_task_spawn_after(weft_fn_t fn, void *arg, const weft_spawn_t *spawn,
                                   weft_task_t *tasks, size_t count, weft_task_t *out);

/// Release a handle without waiting.
/// @param task  the task
/// @return 0, -EINVAL (task is NULL), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    the handle is released.
/// Source:  as pthread_detach.
WEFT_API int weft_task_detach(weft_task_t task);

/// Let other tasks run. The first yield after a spawn goes just behind the caller's own fresh
/// children, any other goes behind everything that is ready on this worker.
/// @return 0, -EPERM (the caller is stackless), -ENOTCONN (outside a task; the OS thread yields),
///         -ENOMEM (no stack for others to run on; nothing happened)
/// Context: a task.   Blocks: no longer than others run.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0005-yield.md; as sched_yield, qthread_yield, ABT_thread_yield.
WEFT_API int weft_task_yield(void) WEFT_MAY_PARK;

/// Hand this worker to one task now; the caller goes behind everything that is ready.
/// @param task  fresh or yielding on this worker, or suspended anywhere (and free to run here)
/// @return 0, -EINVAL (NULL or the caller), -EDEADLK (it waits beneath the caller on this stack),
///         -EBUSY (it is not ready, or it is another worker's), -EPERM (the caller is stackless or
///         outside a task), -ENOMEM (no stack for the task to start on; it stays ready)
/// Context: a task.   Blocks: no longer than others run.
/// Order:   what precedes the call happens-before what the task does next.
/// Owns:    the handle stays the caller's.
/// Source:  as ABT_thread_yield_to.
WEFT_API int weft_task_yield_to(weft_task_t task) WEFT_MAY_PARK;

/// Park the caller until weft_task_resume. A resume that came first is remembered (once).
/// @return 0, -EPERM (the caller is stackless or outside a task), -ENOMEM (no stack for others to
///         run on; nothing happened)
/// Context: a task.   Blocks: until resumed.
/// Order:   what preceded the resume happens-before the return.
/// Owns:    nothing.
/// Source:  as ABT_self_suspend, park in java.util.concurrent.locks.LockSupport.
WEFT_API int weft_task_suspend(void) WEFT_MAY_PARK;

/// Make a suspended task ready, or let its next suspend return at once.
/// @param task  the task; its handle must not be released before this returns
/// @return 0, -EINVAL (NULL), -ESRCH (finished), -EDEADLK (it waits beneath the caller on this
///         stack), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before the suspend's return.
/// Owns:    the handle stays the caller's.
/// Source:  as ABT_thread_resume.
WEFT_API int weft_task_resume(weft_task_t task);

/// Make the caller sticky (it resumes only on the worker it is on now), or free, of its shepherd
/// too.
/// @param sticky  0: free; otherwise sticky
/// @return 0, -EPERM (outside a task; or the thread that started Weft or a guest,
///         weft_guest_begin, which are always sticky)
/// Context: a task.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0004-tasks.md.
WEFT_API int weft_task_set_sticky(int sticky);

/// Go on on another worker, sticky there afterwards, or on those of a shepherd or a pool, staying
/// with them. Tasks that wait beneath it on its stack go back to where they belong before they run
/// again.
/// @param worker  0 to weft_worker_count() - 1, or WEFT_SHEPHERD(s), or a weft_pool_t, or
///                WEFT_ANYWHERE: stay, and be free to move
/// @return 0, -ERANGE (no such worker, shepherd or pool; the worker was removed), -EPERM (outside a
///         task; the caller is stackless, or the thread that started Weft or a guest,
///         weft_guest_begin; a private pool of which this worker is not the consumer), -EDEADLK
///         (the caller was called on such a thread's own stack), -ENOMEM
/// Context: a task.   Blocks: until such a worker takes the caller up.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0004-tasks.md; as qthread_migrate_to.
WEFT_API int weft_task_migrate(uint32_t worker) WEFT_MAY_PARK;

/// The task that runs now. During an inline join that is the child.
/// @return the caller's handle, borrowed; NULL outside a task
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    the handle may be compared, named and resumed, not joined.
/// Source:  as pthread_self.
WEFT_API weft_task_t weft_task_self(void);

/// A number that no other task of this process has or had. Given at the first call for a task.
/// @param task  the task; NULL: the caller
/// @return 1 and up, or 0 outside a task, when memory is out, or while Weft does not run
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as qthread_id.
WEFT_API uint64_t weft_task_id(weft_task_t task);

/// The name that a task was spawned with.
/// @param task  the task; NULL: the caller
/// @return the name, borrowed, or NULL; NULL while Weft does not run
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as pthread_getname_np.
WEFT_API const char *weft_task_name(weft_task_t task);

/// The address in the program that spawned a task (the return address of the spawn call).
/// @param task  the task; NULL: the caller
/// @return a code address, or NULL for the thread that started Weft and guests (weft_guest_begin),
///         outside a task, and while Weft does not run
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as the "created by" line of a Go traceback.
WEFT_API void *weft_task_spawn_site(weft_task_t task);

/// Bytes left on the caller's stack before the guard, on a thread that visits the task
/// (weft_task_visit) as well.
/// @return bytes, or 0 outside a task, or where Weft was started on a stack that is not its
///         thread's own
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as qthread_stackleft.
WEFT_API size_t weft_task_stack_left(void);

/// Where the caller's stack lies, on a thread that visits the task (weft_task_visit) as well.
/// @param low   receives its lowest byte, below which the guard is; may be NULL
/// @param high  receives the first address above it; what the runtime keeps at its top is below
///              that; may be NULL
/// @return 0, -EPERM (outside a task, or where Weft was started on a stack that is not its thread's
///         own)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing. The stack is at least as large as the task was promised.
/// Source:  as qthread_tos and qthread_bos.
WEFT_API int weft_task_stack_bounds(void **low, void **high);

/* A key of a value that each task has of its own. */
typedef uint32_t weft_slot_t;

/// Make a slot. Every task's value starts as NULL.
/// @param destroy  called at a task's end with its value if that is not NULL, on the task's last
///                 worker; it must not block; may be NULL
/// @param out      receives the slot
/// @return 0, -EINVAL (out is NULL), -EAGAIN (1,024 slots exist)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    release the slot by weft_slot_delete.
/// Source:  as pthread_key_create.
WEFT_API int weft_slot_create(void (*destroy)(void *value), weft_slot_t *out);

/// Delete a slot; values still in it are dropped without their destructor.
/// @param slot  the slot
/// @return 0, -EINVAL (no such slot)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    the slot is released.
/// Source:  as pthread_key_delete.
WEFT_API int weft_slot_delete(weft_slot_t slot);

/// Set the caller's value.
/// @param slot   the slot
/// @param value  any pointer
/// @return 0, -EINVAL (no such slot), -EPERM (outside a task), -ENOMEM
/// Context: a task, on a thread that it visits too (weft_task_visit).   Blocks: never.
/// Order:   none.
/// Owns:    the value is the caller's until its destructor runs.
/// Source:  as pthread_setspecific.
WEFT_API int weft_slot_set(weft_slot_t slot, void *value);

/// The caller's value.
/// @param slot  the slot
/// @return the value; NULL if never set, outside a task, or for a slot that does not exist
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    the value stays where it is.
/// Source:  as pthread_getspecific.
WEFT_API void *weft_slot_get(weft_slot_t slot);

#endif /* WEFT_TASK_H */
