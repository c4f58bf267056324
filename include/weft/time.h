/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Time: the clock that deadlines are counted on, and sleeping. */
#ifndef WEFT_TIME_H
#define WEFT_TIME_H

#include "weft/types.h"

/// The clock of all deadlines: CLOCK_MONOTONIC.
/// @return nanoseconds since some fixed moment; never goes back
/// Context: any thread; async-signal-safe.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  clock_gettime(2).
WEFT_API int64_t weft_time_now_ns(void);

/// Sleep until a moment. Never returns before it; how much later depends on how soon a worker is
/// free. A sleeping task uses no processor time. weft_stop waits for it.
/// @param deadline_ns  as weft_time_now_ns counts; one that has passed returns at once; INT64_MAX:
///                     for ever, and weft_stop abandons the task
/// @return 0, -EINVAL (below 0), -EPERM (the caller is stackless), -ECANCELED (weft/cancel.h),
///         -ENOMEM (no stack for others to run on; nothing happened)
/// Context: a task; or any other thread, which then sleeps in the kernel, whether Weft runs or not.
///          Blocks: until the deadline.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0009-time.md; as clock_nanosleep(2) with TIMER_ABSTIME.
WEFT_API int weft_task_sleep_until(int64_t deadline_ns) WEFT_MAY_PARK;

/// Sleep for a while.
/// @param duration_ns  0 returns at once
/// @return as weft_task_sleep_until
/// Context: as weft_task_sleep_until.   Blocks: that long at least.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as nanosleep(2), time.Sleep in Go.
WEFT_API int weft_task_sleep_for(int64_t duration_ns) WEFT_MAY_PARK;

#endif /* WEFT_TIME_H */
