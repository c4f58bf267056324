/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parallel loops: ranges, schedules, reductions, and members that take blocks by themselves. */
#ifndef WEFT_LOOP_H
#define WEFT_LOOP_H

#include "weft/sync.h"
#include "weft/types.h"

/* Loops
 *
 * The caller runs blocks of the loop itself; other workers come as they get free, and nobody waits
 * for one that does not. The call returns when all iterations are over. A loop may be run in any
 * task and in another loop's body. Iterations may park; but only those of WEFT_LOOP_EACH may wait
 * for one another. A thread outside has the loop run in a task and waits; so has a task's rest:
 * after a loop the caller may be on another worker.
 *
 * Without a schedule the loop adapts: blocks are as large as the time of the last one says, some
 * microseconds; who has nothing left takes half of what another has. A loop whose body was quick
 * the last time, so that it is not worth telling anybody, is begun without doing so: its first
 * iterations are run, 16 of many, then growing blocks, and others are told when it turns out longer
 * than it was.
 *
 * Run again over the same range by as many members, a loop begins with the same part for the same
 * worker, whose caches, and on machines with several memories whose memory, have the data of that
 * part if the loop that wrote it first was divided alike. A loop that is bound to a shepherd is run
 * by tasks of that shepherd: by the caller too if it stays there (sticky, or spawned or migrated to
 * the shepherd); else the caller waits. */

typedef enum weft_loop_schedule {
  WEFT_LOOP_DEFAULT = 0,  /* as WEFT_LOOP_SCHEDULE in the environment says, else ADAPTIVE */
  WEFT_LOOP_ADAPTIVE = 1, /* blocks by measured time; what is left is divided on demand */
  WEFT_LOOP_BALANCED = 2, /* one contiguous part for each member */
  WEFT_LOOP_FIXED = 3,    /* blocks of so many iterations, whoever is free */
  WEFT_LOOP_GUIDED = 4,   /* each block is the rest divided by the number of members */
  WEFT_LOOP_FACTORED = 5, /* batches of equal blocks, each batch half of the rest */
  WEFT_LOOP_EACH = 6      /* a task for each iteration */
} weft_loop_schedule_t;

/* How one loop is run. Set size to sizeof(weft_loop_t) and the rest to 0, or start from
 * WEFT_LOOP_INIT. */
typedef struct weft_loop {
  size_t size;       /* sizeof(weft_loop_t) as the caller knows it */
  uint32_t schedule; /* a weft_loop_schedule_t */
  uint32_t members;  /* at most so many take part at a time; 0: as many as there are workers. EACH:
                        1: no tasks; else it does not count */
  uint64_t block;    /* FIXED: iterations of a block; GUIDED, FACTORED: the least, ADAPTIVE: about
                        that: blocks begin at lines of 16, and parts of others; 0: 1 */
  const uint32_t *cancel; /* while it is not 0 no block is begun; NULL: no such flag. Borrowed */
  const void *key;        /* what the time of an iteration is remembered by; NULL: fn */
  uint32_t
      where; /* WEFT_SHEPHERD(s): that shepherd's workers run all of it; 0, WEFT_ANYWHERE: any do */
} weft_loop_t;

#define WEFT_LOOP_INIT {sizeof(weft_loop_t), WEFT_LOOP_DEFAULT, 0u, 0u, NULL, NULL, WEFT_ANYWHERE}

/* Runs a block: for (i = begin; i < end; i += step), or i > end where the step is negative. Where
 * i + step could pass the end of the type, as it can in the last block, count instead. */
typedef void (*weft_loop_fn_t)(int64_t begin, int64_t end, void *arg);
typedef void (*weft_loop_unsigned_fn_t)(uint64_t begin, uint64_t end, void *arg);

/// Run a loop over begin, begin + step, ... as long as it is less than end (greater, where the step
/// is negative), in blocks. Starts Weft if it does not run yet.
/// @param begin  first value
/// @param end    bound; where begin is not before it, nothing is run
/// @param step   not 0
/// @param fn     runs a block; called by several tasks at the same time
/// @param arg    passed to fn
/// @param how    borrowed during the call; NULL: all as by default
/// @return 0, -ECANCELED (cancel was set, and some iterations were not run; in the child of a
///         fork() in fn, if the caller runs the loop itself: see weft/runtime.h), -EINVAL (fn is
///         NULL, step is 0, a bad field of how), -ERANGE (no such shepherd, and there is something
///         to run), -EPERM (bound to a shepherd where the caller does not stay, and the caller is
///         stackless), -ENOMEM, -ENOTCONN (the caller is no task and weft_stop abandons what it
///         runs); -EINVAL, -EAGAIN, -EEXIST as weft_start
/// Context: a task or any other thread.   Blocks: until all that was begun is over.
/// Order:   what precedes the call happens-before fn; fn happens-before the return.
/// Owns:    arg is borrowed during the call.
/// Source:  docs/design/0014-loops.md; as qt_loop_balance, qt_loop, schedule(...) of OpenMP.
WEFT_API int weft_loop_run(int64_t begin, int64_t end, int64_t step, weft_loop_fn_t fn, void *arg,
                           const weft_loop_t *how) WEFT_MAY_PARK;

/// The same over unsigned values.
/// @param begin  first value
/// @param end    bound
/// @param step   not 0; may be negative
/// @param fn     runs a block
/// @param arg    passed to fn
/// @param how    borrowed during the call; NULL: all as by default
/// @return as weft_loop_run
/// Context: as weft_loop_run.   Blocks: as weft_loop_run.
/// Order:   as weft_loop_run.
/// Owns:    as weft_loop_run.
/// Source:  docs/design/0014-loops.md.
WEFT_API int weft_loop_run_unsigned(uint64_t begin, uint64_t end, int64_t step,
                                    weft_loop_unsigned_fn_t fn, void *arg,
                                    const weft_loop_t *how) WEFT_MAY_PARK;

/* One who takes part in a loop; passed to its function, valid until that returns. */
typedef struct weft_loop_member weft_loop_member_t;

/* What a member runs: takes blocks by weft_loop_next until there are none. If it returns before
 * that, the loop ends for all: no further block is begun. */
typedef void (*weft_loop_member_fn_t)(weft_loop_member_t *me, void *arg);

/// Run a loop over 0 to count - 1 whose members take blocks by themselves: for state that each has
/// of its own. Starts Weft if it does not run yet.
/// @param count  how many iterations; 0 runs nothing
/// @param fn     what each member runs; called by the caller, and by each who comes while something
///         is left
/// @param arg    passed to fn
/// @param how    borrowed during the call; NULL: all as by default. Not WEFT_LOOP_EACH
/// @return as weft_loop_run; -ECANCELED also where a member returned early and some iterations were
///         not run
/// Context: as weft_loop_run.   Blocks: until every fn has returned.
/// Order:   as weft_loop_run.
/// Owns:    arg is borrowed during the call.
/// Source:  docs/design/0014-loops.md.
WEFT_API int weft_loop_share(uint64_t count, weft_loop_member_fn_t fn, void *arg,
                             const weft_loop_t *how) WEFT_MAY_PARK;

/// Take the next block of a loop: the iterations first to last - 1.
/// @param me     the member, as its function got it
/// @param first  receives the first iteration
/// @param last   receives one past the last
/// @return 1, or 0: there is nothing more, for nobody
/// Context: the function of a member.   Blocks: never.
/// Order:   none.
/// Owns:    the block is the member's to run.
/// Source:  as GOMP_loop_dynamic_next, qloop_internal_getiters.
WEFT_API int weft_loop_next(weft_loop_member_t *me, uint64_t *first, uint64_t *last);

/// Ask whether the loop shall end early: its cancel flag is set, or a member has returned before
/// the end. Who was told so and returns in a block counts as not having run all of it; who never
/// asked, as having run it, unless the flag is set.
/// @param me  the member
/// @return 1 or 0
/// Context: the function of a member.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0014-loops.md; as omp_cancellation_point.
WEFT_API int weft_loop_is_stopped(const weft_loop_member_t *me);

/// After how many iterations of a long block to ask weft_loop_is_stopped: a thousand, or far more
/// where the schedule adapts, since its blocks are short in time already.
/// @param me  the member
/// @return 1024 or more
/// Context: the function of a member.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0014-loops.md; as the polling interval of a cancellation point.
WEFT_API uint64_t weft_loop_stop_interval(const weft_loop_member_t *me);

/// Set the cancel flag of loops: none of them begins another block.
/// @param cancel  the flag that they were given
/// @return 0, -EINVAL (cancel is NULL)
/// Context: any thread, also the body of such a loop.   Blocks: never.
/// Order:   none.
/// Owns:    nothing; who gave the flag clears it.
/// Source:  docs/design/0014-loops.md.
WEFT_API int weft_loop_cancel(uint32_t *cancel);

/* How the iterations of a loop are reduced to one value. Set size to sizeof(weft_reduction_t). */
typedef struct weft_reduction {
  size_t size;          /* sizeof(weft_reduction_t) as the caller knows it */
  size_t value_bytes;   /* size of a value, 1 to 16 MiB */
  const void *identity; /* what changes nothing: where each value begins. Borrowed */
  weft_reduce_t
      reduce; /* reduces two values; must be associative, and commutative unless in_order */
  uint32_t
      in_order; /* 1: in the order of the iterations, with the same bits at any number of workers */
} weft_reduction_t;

/* Reduces the values of a block, in their order, into *into. */
typedef void (*weft_loop_reduce_fn_t)(int64_t begin, int64_t end, void *into, void *arg);

/// Run a loop as weft_loop_run does, and reduce what its iterations give to one value.
/// @param begin      first value
/// @param end        bound
/// @param step       not 0
/// @param fn         reduces a block into a value; called by several tasks, each with a value of
///         its own
/// @param arg        passed to fn
/// @param reduction  borrowed during the call
/// @param result     receives value_bytes bytes: the identity, and all iterations that were run
/// @param how        borrowed during the call; NULL: all as by default. Not WEFT_LOOP_EACH
/// @return as weft_loop_run; -EINVAL also for a bad field of reduction, or NULL. Where it is not 0
///         or -ECANCELED, *result is as it was
/// Context: as weft_loop_run.   Blocks: as weft_loop_run.
/// Order:   as weft_loop_run.
/// Owns:    as weft_loop_run.
/// Source:  docs/design/0014-loops.md; as qt_loopaccum_balance, omp reduction.
WEFT_API int weft_loop_reduce(int64_t begin, int64_t end, int64_t step, weft_loop_reduce_fn_t fn,
                              void *arg, const weft_reduction_t *reduction, void *result,
                              const weft_loop_t *how) WEFT_MAY_PARK;

#endif /* WEFT_LOOP_H */
