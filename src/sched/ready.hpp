// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making tasks ready and letting other workers know.
#pragma once

#include "base/attributes.hpp"
#include "sched/home.hpp"
#include "sched/scheduler.hpp"
#include "sched/serving.hpp"

namespace weft::rt {

// Queues a parked task where it may resume, in the waker's name. w is the calling worker or null.
// Never runs it: the waker may hold locks. Its stack may be gone when this returns.
void make_ready(worker* w, task* t) noexcept;
// The same by who knows the home of its stack.
void make_ready(worker* w, task* t, uint32_t home) noexcept;

// The same from an arrival action: the task parked itself and goes on (it releases itself in
// park()).
void requeue(worker& w, task* t) noexcept;

// Owner: what it offers to others it queues behind what is woken.
WEFT_ALWAYS_INLINE void recall_offered(worker& w) noexcept {
  if (w.offered.empty()) [[likely]]
    return;
  if (task* t = w.offered.take()) w.woken.push(t);
}

// A task that was parked in a deque leaves it. t may be null.
WEFT_ALWAYS_INLINE task* out_of_deque(task* t) noexcept {
  if (t != nullptr && t->has(flag_in_deque)) [[unlikely]]
    t->state.drop(flag_in_deque);
  return t;
}

// Queues a fresh task that must start on one worker.
void send_pinned(worker* w, task* t, uint32_t target) noexcept;

// Queues a task, fresh or parked, with the home of a placed one. Its stack may be gone when this
// returns.
void send_placed(worker* w, task* t, uint32_t home) noexcept;

// Any thread: puts an item into a worker's mail, and calls the worker.
void send_mail(worker& target, task* t) noexcept;

// The same for an item that is an order: after what is wanted of v has changed. It will see it at
// its next pick, and rises for it.
void give_order(worker& v) noexcept;

// Calls a worker that may be idle. False: it is not, or was called before.
bool call(worker& v) noexcept;

// A shepherd has tasks that its workers alone take: calls one that is idle.
void call_for_placed(const shepherd& s, uint32_t near) noexcept;

// Moves what lies in a shepherd's lists to its heir's, if it has another one than itself. w: the
// calling worker or null.
void hand_to_heir(worker* w, shepherd& s) noexcept;
// The same of what any worker may take: those of the shepherd do, and who is idle, but perhaps
// nobody is.
void hand_shared_to_heir(shepherd& s) noexcept;

// By w itself: its next pick looks for urgent tasks.
void ring_own_bell(worker& w) noexcept;

// Whether a parked task may go on on this worker.
inline bool may_run_on(const worker& w, uint32_t home) noexcept {
  if (is_pool(home)) return serves(w, pool_in(home));
  return may_run_anywhere(home) || home == w.index ||
         (is_placed(home) &&
          the().shepherds[shepherd_in(home)].heir.load_relaxed() ==  // hint: who is wrong goes home
              &w.herd);
}

// Queues a chain of fresh tasks for whoever comes first.
void send_anywhere(worker* w, task* first, task* last) noexcept;

// Makes some of this worker's tasks visible and wakes a worker if none searches. keep: how many
// tasks the owner is about to take itself.
WEFT_COLD void publish(worker& w, uint32_t keep) noexcept;

// Whether a worker could find something without asking anybody.
WEFT_ALWAYS_INLINE bool work_in_sight(const worker& w) noexcept {
  return w.deque.has_public() || !w.herd.shared.empty();
}

// An owner has put work, or is about to go on for long: while anybody is idle, some work must be in
// sight. Where some is already, whoever put it there has seen to it that somebody comes, and who
// comes wakes the next.
WEFT_ALWAYS_INLINE void share_with_idle(worker& w, uint32_t keep) noexcept {
  fence_light();  // O1 <> O2
  if (!the().census.quiet() && (!the().membarrier || !work_in_sight(w))) [[unlikely]]
    publish(w, keep);
}

// By an owner that goes on for long after it has put work: some is in sight then even if nobody was
// seen to be idle. Who has just ended a task is not counted until it has looked around once.
WEFT_COLD void put_in_sight(worker& w) noexcept;

// make_ready() in place, for where the usual case counts: a worker wakes a task that may resume on
// it, and nobody is idle who might have it. home: its stack's.
WEFT_ALWAYS_INLINE void make_ready_here(worker* w, task* t, uint32_t home) noexcept {
  if (w != nullptr) [[likely]] {
    const bool is_free = home == no_worker;
    if (is_free ? the().census.quiet() : home == w->index) [[likely]] {
      notes::release(t);
      w->woken.push(t, is_free);
      share_with_idle(*w, 0);
      return;
    }
  }
  make_ready(w, t, home);
}
WEFT_ALWAYS_INLINE void make_ready_here(worker* w, task* t) noexcept {
  make_ready_here(w, t, t->on.get()->home.get());
}

// Wakes one idle worker unless one searches already. near: where to begin to look.
void wake_one(uint32_t near) noexcept;

}  // namespace weft::rt
