// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker does next: woken tasks, its newest fresh task, yielded tasks, what others have.
//
// Woken tasks go before fresh ones because they hold stacks; yielded ones go behind everything, because
// that is what a yield asks for. Each 61st pick takes the oldest of one of the queues in turn, but
//   - a fresh task, or a sticky one that yielded behind its children, only if woken ones were taken
//     before it, or newer ones for very long;
//   - a yielded one only if all that was ready before it on this worker has run (what lay in the deque
//     and behind it then, and what lies in woken), or after very long.
#include "sched/pick.hpp"

#include <algorithm>

#include "base/xorshift.hpp"
#include "sched/near.hpp"
#include "sched/ready.hpp"
#include "sched/timer.hpp"

namespace weft::rt {

namespace {

// Where to begin to steal.
uint32_t next_turn(worker& w) noexcept {
  const uint64_t x = xorshift64(w.random.get());
  w.random.set(x);
  return static_cast<uint32_t>(x >> 32);
}

task* oldest_fresh(worker& w) noexcept {
  const uint32_t passed = w.fresh_passed.get() + 1;
  w.fresh_passed.set(passed);
  if (passed < fresh_patience) return nullptr;
  w.fresh_passed.set(0);
  if (!w.deque.has_public()) w.deque.share();
  task* t = nullptr;
  return w.deque.steal(t) == steal_result::taken ? out_of_deque(t) : nullptr;
}

// The place of the oldest sticky task that yielded behind its children; null: there is none.
owned<behind_children_entry*>* oldest_behind(worker& w) noexcept {
  owned<behind_children_entry*>* at = &w.behind;
  if (at->get() == nullptr) return nullptr;
  while (at->get()->next.get() != nullptr) at = &at->get()->next;
  return at;
}

// Runs what is due. If this worker goes on with a task, others must know of what its tasks armed; if it
// has none, it will see to it itself.
WEFT_COLD void tend_timers(worker& w) noexcept {
  (void)run_due_timers(w);
  const bool goes_on = !w.woken.empty() || !w.yielded.empty() || !w.mail.empty() ||
                       w.behind.get() != nullptr || w.deque.remaining_hint() > 0;
  if (goes_on && w.timers.hidden()) show_timers(w);
}

// Like the oldest fresh task it leaves depth first, so it waits as long.
task* take_oldest_behind(worker& w) noexcept {
  owned<behind_children_entry*>* place = oldest_behind(w);
  if (place == nullptr) return nullptr;
  const uint32_t passed = w.behind_passed.get() + 1;
  w.behind_passed.set(passed < fresh_patience ? passed : 0);
  if (passed < fresh_patience) return nullptr;
  task* t = place->get()->yielder.get();
  place->set(nullptr);
  return t;
}

task* oldest_yielded(worker& w) noexcept {
  const int64_t left = w.deque.remaining_hint();
  int64_t oldest = left > 0 ? w.deque.end() - left : INT64_MAX;
  if (owned<behind_children_entry*>* place = oldest_behind(w))
    oldest = std::min(oldest, place->get()->below.get());
  // Older tasks that yield to their children again and again never leave: there is an end to patience.
  const bool waited = w.yielded_passed.get() >= yielded_patience;
  task* t = w.yielded.pop_if([&](const task& y) {
    return waited || y.on.get() == nullptr || y.on.get()->yielded_at.get() <= oldest;
  });
  w.yielded_passed.set(t != nullptr || w.yielded.empty() ? 0 : w.yielded_passed.get() + 1);
  if (t == nullptr || w.woken.empty()) return t;
  w.woken.push(t);
  return w.woken.pop();
}

}  // namespace

task* pick_oldest(worker& w) noexcept {
  constexpr uint32_t queues = 5;
  w.tick.set(fair_pick_every);
  if (w.timers.next() != timer_queue::never) tend_timers(w);
  if (!w.mail.empty()) drain_mail(w);
  recall_offered(w);
  for (uint32_t tries = 0; tries < queues; ++tries) {
    const uint32_t turn = w.fair_turn.get();
    w.fair_turn.set((turn + 1) % queues);
    task* t = nullptr;
    if (turn == 0) t = w.woken.pop();
    if (turn == 1) t = oldest_fresh(w);
    if (turn == 2) t = oldest_yielded(w);
    if (turn == 3) t = take_shared(w, w.herd);
    if (turn == 4) t = take_oldest_behind(w);
    if (t != nullptr) return t;
  }
  return nullptr;
}

task* pick_around_sticky(worker& w) noexcept {
  behind_children_entry* first = w.behind.get();
  if (w.deque.end() > first->below.get()) {
    if (task* t = w.deque.pop()) return out_of_deque(t);
  }
  w.behind.set(first->next.get());
  return first->yielder.get();  // last use of *first: it lies on the yielder's stack
}

task* take_shared(worker& w, shepherd& from) noexcept {
  if (from.shared.empty()) return nullptr;
  task* first = from.shared.take_all();
  if (first == nullptr) return nullptr;
  task* t = first->next.get();
  const bool more = t != nullptr;
  while (t != nullptr) {
    task* after = t->next.get();
    w.woken.push(t);
    t = after;
  }
  if (more) share_with_idle(w, 0);
  return first;
}

void drain_mail(worker& w) noexcept {
  for (task* t = w.mail.take_all(); t != nullptr;) {
    task* after = t->next.get();
    w.woken.push(t);
    t = after;
  }
}

task* steal_from(worker& w, worker& victim) noexcept {
  task* t = nullptr;
  for (;;) {
    const steal_result r = victim.deque.steal(t);
    if (r == steal_result::empty) return nullptr;
    if (r == steal_result::taken) break;
  }
  count_one(w.steals);
  return out_of_deque(t);
}

// The task of a worker that has offered it since the last look and not switched in between; null: there is
// none. Next time it is the turn of `other`, which offers one now, or null.
task* take_offered(worker& w, worker* other) noexcept {
  const auto parks = [](const worker& v) {
    return v.parks.load_relaxed();  // hint: a wrong value costs a switch of workers
  };
  worker* of = w.hesitant.get();
  if (of != nullptr && parks(*of) == w.hesitant_parks.get()) {
    if (task* t = of->offered.take()) {
      count_one(w.steals);
      return t;
    }
  }
  w.hesitant.set(other);
  if (other != nullptr) w.hesitant_parks.set(parks(*other));
  return nullptr;
}

task* look(worker& w) noexcept {
  if (w.timers.next() != timer_queue::never) (void)run_due_timers(w);
  if (!w.mail.empty()) {
    drain_mail(w);
    w.called_by_mail.set(true);
  }
  recall_offered(w);  // by a timer's action
  if (!w.woken.empty()) {
    if (task* t = w.woken.pop()) return t;
  }
  const uint32_t turn = next_turn(w);
  task* t = nullptr;
  worker* offers = nullptr;
  (void)any_shepherd_near(w.herd, [&](shepherd& s) {
    t = take_shared(w, s);
    return t != nullptr || any_worker_of(s, turn, [&](worker& v) {
             if (&v == &w) return false;
             t = steal_from(w, v);
             if (offers == nullptr && !v.offered.empty()) offers = &v;
             return t != nullptr;
           });
  });
  return t != nullptr ? t : take_offered(w, offers);
}

}  // namespace weft::rt
