// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking a task and running a fresh one at once, on a stack of its own.
#include "sched/handover.hpp"

#include "sched/join.hpp"

namespace weft::rt {

namespace {

// Whether an unstarted task that was detached for the object stands at k. Anything may stand there,
// also a fork, whose descriptor is gone once another has run it.
WEFT_ALWAYS_INLINE bool is_for(worker& w, int64_t k, uintptr_t object) noexcept {
  return w.deque.stands(k, [object](const task* t) {
    return t->join.is_detached_for(object) && t->on.get() == nullptr;
  });
}

bool is_any_detached(worker& w, int64_t k) noexcept {
  return w.deque.stands(
      k, [](const task* t) { return t->join.is_detached() && t->on.get() == nullptr; });
}

// Where one stands in [low, end): above the last that was taken, for rows of tasks in their order;
// at the lower end, where such a row begins; or not far below the end. Less than low: not there.
int64_t place_of_older(worker& w, int64_t low, int64_t end, uintptr_t object) noexcept {
  constexpr int64_t so_far = 16;
  int64_t k = w.next_taken.get();
  if (k >= low && k < end && is_for(w, k, object)) return k;
  if (low < end && is_for(w, low, object)) return low;
  const int64_t until = end - low > so_far ? end - so_far : low;
  for (k = end - 1; k >= until; --k)
    if (is_for(w, k, object)) return k;
  return low - 1;
}

task* take_at(worker& w, int64_t low, int64_t k, uintptr_t object) noexcept {
  if (k >= low && is_for(w, k, object)) {
    // What is detached is not looked for by its place, which is stale then: it closes up, and there
    // is no hole to be asked for and dropped.
    if (is_any_detached(w, k + 1)) [[likely]] {
      task* const t = w.deque.peek(k);
      if (!w.deque.take_private(t)) return nullptr;
      w.next_taken.set(k);
      return t;
    }
  } else {
    k = place_of_older(w, low, k, object);
    if (k < low) return nullptr;
  }
  task* const t = w.deque.peek(k);
  if (w.deque.take(k) == take_result::no) return nullptr;
  w.next_taken.set(k + 1);
  return t;
}

// Below the newest. Others were hidden meanwhile: by the looks, if by nothing else.
WEFT_NOINLINE task* take_older_for(worker& w, uintptr_t object, int64_t low, int64_t k) noexcept {
  task* const t = take_at(w, low, k, object);
  share_with_idle(w, 0);
  return t;
}

}  // namespace

task* take_unstarted_for(worker& w, const void* object) noexcept {
  const auto mark = reinterpret_cast<uintptr_t>(object);
  const int64_t k = w.deque.end() - 1;
  const int64_t low = w.deque.private_from();
  if (k < low) return nullptr;
  if (!is_for(w, k, mark)) return take_older_for(w, mark, low, k - 1);
  task* const t = w.deque.peek(k);
  if (w.deque.take(k) == take_result::no) return nullptr;
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
