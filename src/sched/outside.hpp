// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that leaves the workers for a while and goes on, on its own stack, on a thread that is no
// worker.
//
//   1. the task parks; once its stack is left, its worker gives it to the thread (give)
//   2. the thread switches to its stack; for all of Weft what runs there is a thread outside now
//   3. the task switches back to the thread's own stack, and the thread makes it ready
// From 1 until a worker has resumed it the task counts as running: a stop waits for it.
#pragma once

#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

// Parks the calling task and gives it, once, to whoever is to call visit() with it. give() runs on
// the worker that is left, and may neither park nor use t itself. Returns on that thread.
// 0, -EPERM (no task, main's, or a stackless one), -EDEADLK (it stands on the stack of an OS
// thread), -ENOMEM.
[[nodiscard]] int leave_workers(void (*give)(task* t, void* argument) noexcept, void* argument,
                                void* site) noexcept;

// By a thread that is no worker: runs t until it returns to the workers.
void visit(task& t) noexcept;

// By the task. 0, -EPERM: it has not left them.
[[nodiscard]] int return_to_workers() noexcept;

// The task that the calling thread visits, or null.
task* visited() noexcept;
// The task that the calling thread runs, as a worker or as a visitor; null if it runs none.
inline task* this_task() noexcept {
  task* t = current_task(self());
  return t != nullptr ? t : visited();
}

// Async-signal-safe. The stack that the calling thread runs on, for a worker or a task that it
// visits; null: on none of Weft's.
const stack* stack_of_this_thread() noexcept;

// By who stops: until every thread is done with the tasks that it visited.
void await_visits() noexcept;
// In a child of fork(): the parent's are not here.
void abandon_visits() noexcept;

}  // namespace weft::rt
