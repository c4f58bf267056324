// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking a task and running a fresh one at once, on a stack of its own.
#include "sched/handover.hpp"

#include "sched/join.hpp"

namespace weft::rt {

task* take_unstarted(task* t) noexcept {
  worker* w = self();
  if (current_task(w) == nullptr) return nullptr;
  const int64_t place = t->place();
  const bool taken = t->on.get() == nullptr && !t->has(flag_in_deque | flag_pinned | flag_placed) &&
                     w->deque.holds(t, place) && take_child(*w, place);
  return taken ? t : nullptr;
}

int park_for_fresh(worker& w, task& fresh, arrival_action action, void* argument) noexcept {
  w.handover.set(&fresh);
  const int failed = park(w, nullptr, action, argument);
  if (failed != 0) {
    w.handover.set(nullptr);
    send_anywhere(&w, &fresh, &fresh);
  }
  return failed;
}

}  // namespace weft::rt
