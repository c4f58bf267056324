// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking a task and going on with another: the only place where stacks are switched.
//
// The protocol, in order (README.md, "Switch"):
//   1. the leaving flow says what is to be done once it has left (arrival, left, arrival_argument);
//   2. registers are saved and the next stack runs;
//   3. the first thing there is arrive(): it does what step 1 said. Only now can others see the task.
#pragma once

#include "base/attributes.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace weft::rt {

// Parks the current task of the calling worker. action(worker, task, argument) runs on the next stack.
//   next   a task with a stack of its own, taken from its queue by the caller, to switch to at once;
//          null: a scheduler loop on a fresh stack goes on (which first runs w.handover if set)
// Returns when somebody has made the task ready and a worker has resumed it, perhaps on another worker.
// 0, or -ENOMEM: no stack for the loop; nothing happened.
[[nodiscard]] int park(worker& w, task* next, arrival_action action, void* argument) noexcept;

// The same, going straight to the next woken task if one is due and has a stack: no loop in between.
[[nodiscard]] int park_for_woken(worker& w, arrival_action action, void* argument) noexcept;

// Leaves the calling OS thread's own stack for a scheduler loop; returns when the worker stops.
// 0 or -ENOMEM.
[[nodiscard]] int run_worker(worker& w) noexcept;

}  // namespace weft::rt
