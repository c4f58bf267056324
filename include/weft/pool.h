/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pools and schedulers of the program's own: where tasks wait, and which of them a worker takes
 * next. */
#ifndef WEFT_POOL_H
#define WEFT_POOL_H

#include "weft/task.h"

/* A pool holds ready tasks in an order of its own. It is a place: given as `worker` of a
 * weft_spawn_t or to weft_task_migrate, the task waits there now and whenever it becomes ready
 * again, and runs only on workers that serve the pool.
 *
 * A scheduler serves pools: it says what its workers take next. A worker runs what its own queues
 * hold first (tasks that are bound to it, and what its tasks spawned to no place), then asks its
 * scheduler, then takes what others have. It has the scheduler that weft_worker_set_scheduler gave
 * it, and above that one any that a task of it runs by weft_scheduler_run: the uppermost is asked
 * first.
 *
 * Workers without a scheduler pay nothing for all this. A place outlives no weft_stop: tasks in
 * pools that no worker serves are dropped then, and all that is left of pools and schedulers is
 * released. */

/* Who may use a pool. What is not true of a program is refused, so that the cheaper ones stay
 * right. */
typedef enum weft_pool_access {
  WEFT_POOL_SHARED = 0,       /* any number of workers take; a lock, while a second one does */
  WEFT_POOL_ONE_CONSUMER = 1, /* one worker takes, anybody puts: no lock for that worker */
  WEFT_POOL_PRIVATE = 2,      /* one worker takes, and its tasks alone spawn there */
  /* A deque for each worker of a group: those that serve the pool. A worker takes its own newest
   * first (each 61st time the oldest), then the oldest of others, the nearest first, then what came
   * from outside; what `admit` refuses it passes over. A task that yields goes behind all others of
   * its deque. */
  WEFT_POOL_DEQUES = 3
} weft_pool_access_t;

/* In which order tasks leave. Keys are given at the spawn (weft_spawn_t.key): the smallest first. A
 * child that a task's join calls waits on that task's stack, in its pool and by its key. */
typedef enum weft_pool_order {
  WEFT_POOL_FIFO = 0,
  WEFT_POOL_LIFO = 1,
  WEFT_POOL_KEY_FIFO = 2, /* by key; equal ones in the order in which they came */
  WEFT_POOL_KEY_LIFO = 3  /* by key; of equal ones the latest first */
} weft_pool_order_t;

/* An order of the program's own. The functions are called by one thread at a time, under the pool's
 * lock or by its worker; they may not block or call Weft, but for weft_pool_link. */
typedef struct weft_pool_ops {
  void (*push)(void *state, weft_task_t task, const uint64_t *key, uint32_t key_words);
  weft_task_t (*pop)(void *state); /* NULL only if there is none */
} weft_pool_ops_t;

/* Set size to sizeof(weft_pool_config_t) and what is not meant to 0. */
typedef struct weft_pool_config {
  size_t size;
  uint32_t access;            /* a weft_pool_access_t */
  uint32_t order;             /* a weft_pool_order_t; 0 with ops */
  const weft_pool_ops_t *ops; /* NULL: as order says; borrowed as long as the pool lives */
  void *state;                /* passed to ops and admit */
  /* WEFT_POOL_DEQUES: whether a worker may take a task, for itself or from another's deque; NULL:
   * always. Called by several workers at the same time and any number of times for a task, which
   * nobody takes meanwhile. It may not block or call Weft. Once what it answers may have changed by
   * more than what the refused worker itself ran, call weft_pool_ask_again. */
  int (*admit)(void *state, const weft_candidate_t *candidate);
} weft_pool_config_t;

/// Make a pool. Nobody serves it until a worker has a scheduler with it.
/// @param config  borrowed during the call; NULL: shared, first in, first out
/// @param out     receives the pool
/// @return 0, -EINVAL (out is NULL, a bad field, an order besides ops, an order or ops besides
///         deques, admit without them), -EAGAIN (4,096 pools exist), -ENOMEM, -ENOTCONN (Weft does
///         not run)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before each call of ops.
/// Owns:    release the pool by weft_pool_free, or leave it to weft_stop.
/// Source:  docs/design/0020-pools.md; as ABT_pool_create, ABT_pool_create_basic.
WEFT_API int weft_pool_create(const weft_pool_config_t *config, weft_pool_t *out);

/// Release a pool. All tasks that were sent there have ended or been migrated elsewhere; one that
/// has not ends the process with one sentence when it becomes ready, unless 64 other pools have
/// been released since, or 4,096 exist: then it may come to another pool, made later.
/// @param pool  the pool
/// @return 0, -EINVAL (no such pool), -EBUSY (it holds tasks, or belongs to a scheduler), -ENOTCONN
///         (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    the pool is released.
/// Source:  as ABT_pool_free.
WEFT_API int weft_pool_free(weft_pool_t pool);

/// How many tasks a pool holds: those that are ready and not running.
/// @param pool  the pool
/// @return 0 or more; exact only while nobody puts or takes; -EINVAL (no such pool), -ENOTCONN
///         (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as ABT_pool_get_size.
WEFT_API int64_t weft_pool_size(weft_pool_t pool);

/// Have the idle workers that serve a pool look into it again, since its admission test may answer
/// otherwise now.
/// @param pool  the pool
/// @return 0, -EINVAL (no such pool), -ENOTCONN (Weft does not run)
/// Context: any thread; not in an admission test.   Blocks: never.
/// Order:   what precedes the call happens-before the tests that follow from it.
/// Owns:    nothing.
/// Source:  docs/design/0024-embedding.md.
WEFT_API int weft_pool_ask_again(weft_pool_t pool);

/// Take the next task of a pool, for a scheduler's pick: it returns the task, or puts it into a
/// pool again.
/// @param pool  one that the scheduler serves
/// @return the task, or NULL: the pool is empty, it is another worker's, or the caller is no pick
/// Context: weft_scheduler_config_t.pick.   Blocks: never.
/// Order:   what preceded the push happens-before the return.
/// Owns:    the task is the caller's to run or to put back; its handle is not.
/// Source:  as ABT_pool_pop_thread.
WEFT_API weft_task_t weft_pool_pop(weft_pool_t pool);

/// Put a task that weft_pool_pop gave into a pool, which is its place from now on; for a child that
/// a join has called, that of the task that was sent there, by whose key the child waits.
/// @param pool  any pool
/// @param task  taken in this pick
/// @return 0, -EINVAL (no such pool, task is NULL), -EPERM (the caller is no pick; a private pool
///         of which this worker is not the consumer), -ENOMEM (the pool orders by key, the task has
///         none)
/// Context: weft_scheduler_config_t.pick.   Blocks: never.
/// Order:   what precedes the call happens-before what the task does next.
/// Owns:    the task is the pool's again.
/// Source:  as ABT_pool_push_thread.
WEFT_API int weft_pool_push(weft_pool_t pool, weft_task_t task);

/// A pointer in a task's descriptor that is the pool's from push to pop, so that lists need no
/// memory.
/// @param task  one that a pool of the program's own holds
/// @return its address; NULL: task is NULL
/// Context: weft_pool_ops_t.   Blocks: never.
/// Order:   none.
/// Owns:    the pointer's value is forgotten at the pop.
/// Source:  docs/design/0020-pools.md.
WEFT_API void **weft_pool_link(weft_task_t task);

enum {
  /* Its workers look no further: neither at schedulers below nor for what others have, but for what
   * is sent to their shepherd or comes from outside. */
  WEFT_SCHEDULER_ALONE = 1u << 0
};

/* A scheduler: pools and what to take from them next. One may serve several workers at once. Set
 * size to sizeof(weft_scheduler_config_t) and what is not meant to 0. */
typedef struct weft_scheduler_config {
  size_t size;
  const weft_pool_t *pools; /* the pools it serves; copied */
  size_t count;             /* 1 to 64 of them */
  /* What to run next: a task that weft_pool_pop gave, or NULL: nothing now. Called by each worker
   * for itself, by several at the same time; it may not block, and so neither forks nor joins.
   * NULL: the first pool that holds something, in the order of `pools`. */
  weft_task_t (*pick)(weft_scheduler_t scheduler, void *state);
  void (*released)(void *state); /* called when the scheduler is gone; may be NULL */
  void *state;
  uint32_t flags; /* WEFT_SCHEDULER_* or-ed together */
} weft_scheduler_config_t;

/// Make a scheduler.
/// @param config  borrowed during the call, its pools too
/// @param out     receives the scheduler
/// @return 0, -EINVAL (NULL, a bad field, no such pool, a pool twice), -ENOMEM, -ENOTCONN (Weft
///         does not run)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before each pick.
/// Owns:    release it by weft_scheduler_free, or leave it to weft_stop; its pools are not freed
///          before it.
/// Source:  docs/design/0020-pools.md; as ABT_sched_create.
WEFT_API int weft_scheduler_create(const weft_scheduler_config_t *config, weft_scheduler_t *out);

/// Release a scheduler. It is gone, and `released` called, once no worker has it any more.
/// @param scheduler  the scheduler
/// @return 0, -EINVAL (NULL), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never; released is called here or by the last worker.
/// Order:   every pick happens-before released.
/// Owns:    the handle is released.
/// Source:  as ABT_sched_free.
WEFT_API int weft_scheduler_free(weft_scheduler_t scheduler);

/// Give a worker another scheduler, in place of the one it was given before, from its next pick on;
/// one that was removed has it at once. Tasks stay in their pools.
/// @param worker     0 to weft_worker_count() - 1
/// @param scheduler  the scheduler, or NULL: none
/// @return 0, -EBUSY (a pool of it with one consumer has another worker), -ERANGE (no such worker),
///         -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before the worker's next pick.
/// Owns:    the worker holds on to the scheduler until it has another one.
/// Source:  docs/design/0020-pools.md; as ABT_xstream_set_main_sched.
WEFT_API int weft_worker_set_scheduler(uint32_t worker, weft_scheduler_t scheduler);

/// Let the caller's worker use another scheduler above those it has, until weft_scheduler_finish.
/// The caller waits meanwhile; a scheduler may run within one that a task of another runs, to any
/// depth. A caller whose worker is disabled or being removed goes to another one first, if its
/// place allows that; else nothing is taken for the scheduler until the worker is enabled again.
/// @param scheduler  the scheduler
/// @return 0, -EINVAL (NULL), -EBUSY (a pool of it with one consumer has another worker), -EPERM
///         (outside a task, or the caller is stackless), -ENOMEM (no stack for others to run on;
///         nothing happened)
/// Context: a task.   Blocks: until weft_scheduler_finish.
/// Order:   what precedes weft_scheduler_finish happens-before the return.
/// Owns:    the worker holds on to the scheduler until it has left it.
/// Source:  docs/design/0020-pools.md; as ABT_pool_add_sched.
WEFT_API int weft_scheduler_run(weft_scheduler_t scheduler) WEFT_MAY_PARK;

/// Make all workers that a weft_scheduler_run brought to a scheduler leave it at their next pick.
/// Those above it on such a worker are left when they are finished themselves, and it after them.
/// Tasks stay in their pools.
/// @param scheduler  the scheduler
/// @return 0, -EINVAL (NULL), -ENOTCONN (Weft does not run)
/// Context: any thread, also in a pick.   Blocks: never.
/// Order:   what precedes the call happens-before the return of weft_scheduler_run.
/// Owns:    nothing.
/// Source:  as ABT_sched_finish.
WEFT_API int weft_scheduler_finish(weft_scheduler_t scheduler);

#endif /* WEFT_POOL_H */
