/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starting and stopping the runtime, and what it runs on. */
#ifndef WEFT_RUNTIME_H
#define WEFT_RUNTIME_H

/* The life cycle, fork and signals
 *
 * Start and stop. Weft starts by weft_start or by the first spawn, as often as it was stopped; also
 * from initialisers before main and from destructors after it. While it does not run, no function
 * but the spawns starts it; the others answer as their blocks say (-ENOTCONN where a handle is
 * given), and never hang. While one thread stops it, another outside may be in a call that says so
 * (joins, loops, teams, descriptors, guests and carriers), or at a lock, a word and the like, as
 * long as it wakes no task there: an unlock, a post, a fill or a request for which a task is parked
 * may find the task's stack gone. The program sees to it that it is in no other (a spawn, a
 * message, a question about workers or pools).
 *
 * The end of the process. exit, quick_exit, abort and the return from main end it as in any program
 * with threads, also from a task: handlers and destructors run once, on the thread that called, and
 * nothing waits for tasks. Those on other workers run on meanwhile: a program whose destructors
 * take away what tasks use calls weft_stop first. A thread that started Weft and ends
 * (pthread_exit, or its function returns) before it stopped it stops it then, if it is worker 0 or
 * the process's first thread. It waits for guests (weft_guest_begin) as for tasks, where weft_stop
 * would say -EBUSY: who would wait for its end ends being a guest first.
 *
 * fork. In the child only the thread that forked exists, and Weft does not run there: that thread
 * stands outside any task, and may exit, exec or start Weft anew. If it was bound to processors as
 * a worker it is no more, unlike the child of a vfork or a posix_spawn, which no handler sees.
 * Handles of the parent mean nothing there. What other threads of the parent held stays locked, as
 * with any lock, and a lock or the like at which some of them wait must be made anew before it is
 * used there; nothing of Weft's own stays locked. But where another thread makes the process's
 * first start while a fork is under way, that child may only exec or _exit. The parent's memory
 * stays readable, stacks of tasks included. If fork was called by a task and the task's function
 * returns in the child, the child ends as by exit(0). So does that of one who helps with a loop
 * (weft/loop.h) when its part is over, and that of a member of a team (weft/team.h), but rank 0,
 * when its function returns.
 * Where the caller of a loop or a team forked in it, the child goes on with what nobody had begun,
 * and the call returns there: -ECANCELED unless the others were through. That is so for a task; for
 * a caller that is none, or that does not stay with the shepherd that its loop is bound to, another
 * task runs it, and the child ends with that task's function.
 *
 * Threads. Weft makes one for each worker that is no thread of the program's, at the start and when
 * it is added; one that waits for all descriptors, in the first call that has to wait for one
 * (weft/fd.h); and one that watches the processors, at the start with WEFT_FOLLOW_CPUS=1. weft_stop
 * ends them. Each has the signal mask of the thread that makes it. Whoever makes it, it may use the
 * processors that the thread that started Weft might use then; a worker's, those that it is bound
 * to if it is (WEFT_BIND, weft_worker_bind). Threads of the program that Weft bound as workers get
 * theirs back when they are workers no more.
 *
 * Signals. So workers have the signal mask of the thread that started Weft, or added them: what no
 * task shall be interrupted by is blocked before the start. A handler runs on the stack of the task
 * that it interrupts, which is small (WEFT_STACK_SIZE); with SA_ONSTACK on a signal stack of its
 * worker's, 64 KiB. No function of Weft may be called in a handler, but for weft_worker_index and
 * weft_task_self. No wait ends early for a signal. A signal mask belongs to the worker: a task that
 * changes it restores it before it parks.
 *
 * dlclose. libweft.so stays loaded once it is.
 *
 * Copies. Of two copies of Weft in one process (libweft.a in the program, libweft.so below a
 * library) one runs at a time: a start of the other says so in one line and returns -EEXIST. */

#include "weft/types.h"

/* How the thread that starts Weft takes part. */
typedef enum weft_main_mode {
  WEFT_MAIN_DEFAULT = 0, /* as WEFT_MAIN in the environment says, else WORKER */
  WEFT_MAIN_WORKER = 1,  /* it is worker 0, and what runs on it is a sticky task */
  WEFT_MAIN_GUEST = 2    /* it stays a foreign thread; all workers are threads of Weft's own */
} weft_main_mode_t;

/* Options of one start, which go before the environment's. Set size to sizeof(weft_config_t); a
 * field that is 0 takes its value from the environment (WEFT_WORKERS, WEFT_STACK_SIZE, WEFT_MAIN),
 * else its default.
 *
 * Every struct that begins with its size may be shorter or longer than the library knows it, as an
 * older or a newer header has it: what is missing counts as not meant, and what the library does
 * not know must be 0, or the call is refused with -EINVAL. */
typedef struct weft_config {
  size_t size;        /* sizeof(weft_config_t) as the caller knows it */
  uint32_t workers;   /* OS threads that run tasks, 1 to 1024; default: usable CPUs */
  uint32_t main_mode; /* a weft_main_mode_t */
  size_t stack_bytes; /* bytes promised to each task, 16 KiB to 1 GiB, rounded up to a page */
} weft_config_t;

/// Start the runtime explicitly. The first spawn starts it too, with the environment's options.
/// Either needs 32 KiB of the caller's stack, more where hwloc is asked (WEFT_TOPOLOGY).
/// @param config  options, borrowed during the call; NULL: all from the environment
/// @return 0, -EALREADY (it runs), -EINVAL (a bad option: one line on stderr says which),
///         -ENOMEM, -EAGAIN (the system gives no more threads), -EEXIST (another copy of Weft runs)
/// Context: a thread outside Weft; not async-signal-safe.   Blocks: while threads are made.
/// Order:   what precedes the call happens-before every task.
/// Owns:    the runtime; release it by weft_stop, or leave it to the end of the thread or the
///          process.
/// Source:  docs/design/0007-start-and-stop.md, docs/design/0008-life-cycle.md; as ABT_init and
///          qthread_initialize.
WEFT_API int weft_start(const weft_config_t *config);

/// Run until no task is runnable anywhere, then stop the workers and give everything back.
/// Tasks that are still parked then can never be woken; they are abandoned, without unwinding,
/// and no destructor of a slot runs. What such a task waits at (a lock, a semaphore, a channel, a
/// future, ..., and each canceller in whose scope it is) still counts it as waiting: initialise it
/// anew before it is used again. Full/empty words alone forget it. A thread outside that waits for
/// such a task's end is told -ENOTCONN.
/// @return 0 or more: the number of abandoned stacks; -ENOTCONN (not running), -EPERM (called by a
///         task other than the one that started Weft, or by a thread other than the one that is
///         worker 0), -ENOMEM, -EBUSY (there are guests, weft_guest_begin): it still runs
/// Context: the thread that started Weft; as a guest, any thread outside.   Blocks: as long as
///          tasks run.
/// Order:   every task happens-before the return.
/// Owns:    handles of tasks not joined are invalid afterwards.
/// Source:  docs/design/0007-start-and-stop.md; as ABT_finalize.
WEFT_API int weft_stop(void);

/// The number of workers of the running runtime.
/// @return 1 to 1024, or 0 when Weft is not running
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as ABT_xstream_get_num, qthread_num_workers.
WEFT_API uint32_t weft_worker_count(void);

/// The worker that runs the caller now. After a call that may park the answer may differ.
/// @return 0 to weft_worker_count() - 1, or WEFT_ANYWHERE outside a worker
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as ABT_self_get_xstream_rank, qthread_worker.
WEFT_API uint32_t weft_worker_index(void);

/* What the runtime counted since it started; sums over all workers, each read without a lock, so
 * the counts are exact only while nothing runs. The last figure is no count. */
typedef struct weft_stats {
  size_t size;            /* in: sizeof(weft_stats_t) as the caller knows it */
  uint64_t steals;        /* tasks that a worker took from another worker's deque */
  uint64_t forced_shares; /* times a thief published work of an owner that did not answer */
  uint64_t parks;         /* times a task gave up its worker */
  uint64_t sleeps;        /* times a worker went to sleep in the kernel */
  uint64_t wakes;         /* times a worker was woken from that sleep */
  uint64_t stacks_live;   /* stacks in use now */
  uint64_t stacks_made;   /* stacks made so far */
  uint64_t stack_bytes;   /* promised to each task */
} weft_stats_t;

/// Read the runtime's counters.
/// @param out  receives the counters; out->size says how much of it the caller knows
/// @return 0, -EINVAL (out is NULL, or out->size is below sizeof(size_t)), -ENOTCONN (not running)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    out is the caller's.
/// Source:  docs/design/0007-start-and-stop.md.
WEFT_API int weft_stats_read(weft_stats_t *out);

#endif /* WEFT_RUNTIME_H */
