// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking a task and going on with another: the only place where stacks are switched.
//
// The protocol, in order (README.md, "Switch"):
//   1. the leaving flow says what is to be done once it has left (arrival, left, arrival_argument);
//   2. registers are saved and the next stack runs;
//   3. the first thing there is arrive(): it does what step 1 said. Only now can others see the
//      task.
#pragma once

#include "arch/context.hpp"
#include "arch/fiber_notes.hpp"
#include "arch/fp_control.hpp"
#include "base/attributes.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace weft::rt {

// Parks the current task of the calling worker. action(worker, task, argument) runs on the next
// stack.
//   next   a task with a stack of its own, taken from its queue by the caller, to switch to at
//          once; null: a scheduler loop on a fresh stack goes on (which first runs w.handover if
//          set)
// Returns when somebody has made the task ready and a worker has resumed it, perhaps on another
// worker. 0, or -ENOMEM: no stack for the loop; nothing happened.
[[nodiscard]] int park(worker& w, task* next, arrival_action action, void* argument) noexcept;

// The same, going straight to the next woken task if one is due and has a stack: no loop in
// between.
[[nodiscard]] int park_for_woken(worker& w, arrival_action action, void* argument) noexcept;

// A thread outside while it runs a task that has left the workers (outside.hpp); lies in a frame of
// the thread.
struct outside_flow {
  task* runs;
  stack* on;
  arch::context context;
  notes::stack_note note;
  notes::flow_note flow;
  arch::fp_control fp;
};

// As park without a next task, but returns on the thread that calls run_outside for the task, which
// is no worker.
[[nodiscard]] int park_to_outside(worker& w, arrival_action action, void* argument) noexcept;
// By a thread that is no worker: runs t until that calls park_from_outside, which returns when t
// was made ready and a worker has resumed it.
void run_outside(outside_flow& here, task& t) noexcept;
void park_from_outside(outside_flow& here) noexcept;

// A task that runs a fresh one on another stack and goes on when that has ended, as if it had
// called it; lies in the frame of the caller. The caller stands in no queue: nobody but the fresh
// task's end can make it go on, until the fresh task leaves its stack for any reason. Before that
// it is parted from the caller, and from whoever called that one: `part` sees to it that the caller
// waits by itself or is ready.
struct aside_call {
  const void* const object;                                // what is waited for
  void (*const part)(worker& w, aside_call& me) noexcept;  // may not park
  task* caller = nullptr;                                  // by call_aside (aside.hpp)
  aside_call* inner = nullptr;                             // while they are parted
};

// Before a flow leaves its stack while others may have to go on: parts it from its caller, and that
// one from its own, and so on.
WEFT_COLD void part_from_callers(worker& w) noexcept;
WEFT_ALWAYS_INLINE bool is_called_aside(const worker& w) noexcept {
  return w.on.get()->aside.get() != nullptr;
}

// Leaves the calling OS thread's own stack for a scheduler loop; returns when the worker stops.
// 0 or -ENOMEM.
[[nodiscard]] int run_worker(worker& w) noexcept;

}  // namespace weft::rt
