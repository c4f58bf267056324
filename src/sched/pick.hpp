// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker does next.
#pragma once

#include "sched/scheduler.hpp"

namespace weft::rt {

// The next task for this worker, taken out of its queue. Sleeps while there is none; null: the worker
// shall stop.
task* pick(worker& w) noexcept;

// One look at everything that is open: mail, the shepherd's inbox, other workers' deques. Null: nothing.
task* look(worker& w) noexcept;

// Takes what lies in the shepherd's inbox: the oldest to run now, the rest to the ready queue. Null:
// nothing.
task* take_shared(worker& w) noexcept;

// Takes the oldest task that is open in a worker's deque. Null: nothing.
task* steal_from(worker& w, worker& victim) noexcept;

// Moves the mail to the ready queue.
void drain_mail(worker& w) noexcept;

}  // namespace weft::rt
