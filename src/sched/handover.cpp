// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking a task and running a fresh one at once, on a stack of its own.
#include "sched/handover.hpp"

#include "sched/join.hpp"

namespace weft::rt {

task* take_unstarted_for(worker& w, const void* object) noexcept {
  const auto mark = reinterpret_cast<uintptr_t>(object);
  const int64_t end = w.deque.end();
  const int64_t low = w.deque.private_from();
  const auto is_wanted = [&](int64_t k) {
    if (k < low) return false;
    const task* const t = w.deque.peek(k);
    return t != nullptr && t->join.is_detached_for(mark) && t->on.get() == nullptr;
  };
  int64_t k = end - 1;
  if (!is_wanted(k) && !is_wanted(--k)) {
    k = w.next_taken.get();
    if (k >= end || !is_wanted(k)) return nullptr;
  }
  task* const t = w.deque.peek(k);
  if (!take_child(w, k)) return nullptr;
  w.next_taken.set(k + 1);
  return t;
}

task* take_unstarted(task* t) noexcept {
  worker* w = self();
  if (current_task(w) == nullptr) return nullptr;
  const int64_t place = t->place();
  const bool taken = t->on.get() == nullptr && !t->has(flag_in_deque | flag_pinned | flag_placed) &&
                     w->deque.holds(t, place) && take_child(*w, place);
  if (!taken) return nullptr;
  w->next_taken.set(place + 1);
  return t;
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
