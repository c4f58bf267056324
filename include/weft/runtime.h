/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starting and stopping the runtime, and what it runs on. */
#ifndef WEFT_RUNTIME_H
#define WEFT_RUNTIME_H

#include "weft/types.h"

/* How the thread that starts Weft takes part. */
typedef enum weft_main_mode {
  WEFT_MAIN_DEFAULT = 0, /* as WEFT_MAIN in the environment says, else WORKER */
  WEFT_MAIN_WORKER = 1,  /* it is worker 0, and what runs on it is a sticky task */
  WEFT_MAIN_GUEST = 2    /* it stays a foreign thread; all workers are threads of Weft's own */
} weft_main_mode_t;

/* Options of one start. Set size to sizeof(weft_config_t); a field that is 0 takes its value from the
 * environment (WEFT_WORKERS, WEFT_STACK_SIZE, WEFT_MAIN), else its default. */
typedef struct weft_config {
  size_t size;         /* sizeof(weft_config_t) as the caller knows it */
  uint32_t workers;    /* OS threads that run tasks, 1 to 1024; default: usable CPUs */
  uint32_t main_mode;  /* a weft_main_mode_t */
  size_t stack_bytes;  /* bytes promised to each task, 16 KiB to 1 GiB, rounded up to a page */
} weft_config_t;

/// Start the runtime explicitly. The first spawn starts it too, with the environment's options.
/// @param config  options, borrowed during the call; NULL: all from the environment
/// @return 0, -EALREADY (it runs), -EINVAL (a bad option: one line on stderr says which),
///         -ENOMEM, -EAGAIN (the system gives no more threads)
/// Context: a thread outside Weft; not async-signal-safe.   Blocks: while threads are made.
/// Order:   what precedes the call happens-before every task.
/// Owns:    the runtime; release it by weft_stop, or leave it to the end of the process.
/// Source:  docs/design/0007-start-and-stop.md; as ABT_init and qthread_initialize.
WEFT_API int weft_start(const weft_config_t *config);

/// Run until no task is runnable anywhere, then stop the workers and give everything back.
/// Tasks that are still parked then can never be woken; they are abandoned, without unwinding.
/// @return 0 or more: the number of abandoned stacks; -ENOTCONN (not running), -EPERM (called by a
///         task or thread other than the one that started Weft), -ENOMEM (it still runs)
/// Context: the thread that started Weft.   Blocks: as long as tasks run.
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

/* What the runtime counted since it started; sums over all workers, each read without a lock, so the
 * figures are exact only while nothing runs. */
typedef struct weft_stats {
  size_t size;             /* in: sizeof(weft_stats_t) as the caller knows it */
  uint64_t steals;         /* tasks that a worker took from another worker's deque */
  uint64_t forced_shares;  /* times a thief published work of an owner that did not answer */
  uint64_t parks;          /* times a task gave up its worker */
  uint64_t sleeps;         /* times a worker went to sleep in the kernel */
  uint64_t wakes;          /* times a worker was woken from that sleep */
  uint64_t stacks_live;    /* stacks in use now */
  uint64_t stacks_made;    /* stacks made so far */
} weft_stats_t;

/// Read the runtime's counters.
/// @param out  receives the counters; out->size says how much of it the caller knows
/// @return 0, -EINVAL (out is NULL or its size is 0), -ENOTCONN (not running)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    out is the caller's.
/// Source:  docs/design/0007-start-and-stop.md.
WEFT_API int weft_stats_read(weft_stats_t *out);

#endif /* WEFT_RUNTIME_H */
