// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timers: an action at a deadline, run by some worker.
//
// A timer lies in its user's memory, above all on the stack of a task that waits. The protocol of
// those who sleep until a deadline is in README.md, "Timers".
#pragma once

#include <cstdint>

#include "base/attributes.hpp"
#include "lockfree/timer_queue.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

struct timer;

// Runs on some worker, in its loop or in a task that yields there. It may make tasks ready; it must
// not park, arm or cancel.
using timer_action = void (*)(timer& t) noexcept;

struct timer : timer_entry {
  timer_action action = nullptr;
};

// On a worker: from a task, or from an arrival action (a timer whose action resumes the task that
// parks must be armed there: it may fire at once). deadline_ns: CLOCK_MONOTONIC; what has passed is
// due. Never fires early. The timer must be idle.
// The worker sees to it before it runs another task, except one that it is handed straight to: who
// parks with a `next` calls show_timers first.
void arm(timer& t, int64_t deadline_ns, timer_action action) noexcept;

// Any thread. True: it will not fire. False: it was not armed, or it has fired and its action has
// returned. To be called before the timer's memory goes, whatever ended the wait.
bool cancel(timer& t) noexcept;

// Runs what is due of the timers that were armed on w, or on any worker; by a worker. True: an
// action has run.
WEFT_COLD bool run_due_timers(worker& w) noexcept;
WEFT_COLD bool run_all_due_timers() noexcept;

// While others are idle, one of them answers from now on for w's timers. w is the calling worker.
WEFT_COLD void show_timers(worker& w) noexcept;

// The earliest tick that the keeper of time answers for.
int64_t earliest_shown() noexcept;
// A worker that is idle no more, after a full fence: if nobody keeps the time now, an idle one
// shall.
void hand_over_time(worker& w) noexcept;

}  // namespace weft::rt
