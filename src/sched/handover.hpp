// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking a task and running a fresh one at once, on a stack of its own.
//
// For waits that the fresh task may end, but others too: were it called on the waiter's stack, a
// third party could end the wait while the waiter is buried under a child that has blocked.
// switch.hpp has another way for waiters that go on only when the fresh task has ended or blocks:
// call_aside.
#pragma once

#include "base/attributes.hpp"
#include "sched/switch.hpp"

namespace weft::rt {

// By a task that may park: an unstarted task that was detached for this object, out of the private
// part of this worker's deque. Null: it is not among the newest, nor the oldest, nor what follows
// the last that was taken by any of these.
[[nodiscard]] task* take_unstarted_for(worker& w, const void* object) noexcept;

// By a task that may park: t, if it is unstarted in the private part of this worker's deque, taken
// out of it; else null. t is no finished task.
[[nodiscard]] task* take_unstarted(task* t) noexcept;

// As park(); the fresh task runs next. After -ENOMEM it is queued again.
[[nodiscard]] int park_for_fresh(worker& w, task& fresh, arrival_action action,
                                 void* argument) noexcept;

}  // namespace weft::rt
