// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker does next: woken tasks, its newest fresh task, yielded tasks, what others have.
//
// Woken tasks go before fresh ones because they hold stacks; yielded ones go behind everything,
// because that is what a yield asks for. Each 61st pick takes the oldest of one of the queues in
// turn, but
//   - a fresh task, or a sticky one that yielded behind its children, only if woken ones were taken
//     before it, or newer ones for very long;
//   - a yielded one only if all that was ready before it on this worker has run (what lay in the
//     deque and behind it then, and what lies in woken), or after very long.
#include "sched/pick.hpp"

#include <algorithm>

#include "base/xorshift.hpp"
#include "sched/attention.hpp"
#include "sched/delivery.hpp"
#include "sched/hand_off.hpp"
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
  w.behind_passed.set(fresh_patience);  // what went before this one went before those as well
  if (!w.deque.has_public()) w.deque.share();
  task* t = nullptr;
  return w.deque.steal(t) == steal_result::taken ? out_of_deque(t) : nullptr;
}

// True: the bell was among it.
bool take_mail(worker& w) noexcept {
  bool rang = false;
  bool ordered = false;
  for (task* t = w.mail.take_all(); t != nullptr;) {
    task* after = t->next.get();
    if (t == &w.bell) {
      rang = true;
    } else if (t == &w.order) {
      ordered = true;
    } else if (t != &w.marker) {
      w.woken.push(t);
    }
    t = after;
  }
  if (ordered) follow_order(w);
  return rang;
}

// The same, and leaves the marker there if it has to be.
WEFT_COLD bool drain_mail(worker& w) noexcept {
  if (w.attentive.get() && w.mail.holds_only(&w.marker)) return false;
  bool rang = take_mail(w);
  while (w.attentive.get() && !w.mail.push_alone(&w.marker)) rang |= take_mail(w);
  return rang;
}

constexpr uint32_t urgent = place_queue::of_level(level::high);
constexpr uint32_t low = place_queue::of_level(level::low);

task* take_urgent(worker& w) noexcept {
  task* t = w.herd.placed.take(urgent);
  expect_placed(w);
  if (t != nullptr && (w.herd.placed.held() & urgent) != 0) ring_own_bell(w);
  return t;
}

// What was handed off goes before what is urgent.
task* answer_bell(worker& w) noexcept {
  task* t = take_handed(w);
  if (w.disabled.get()) return t;
  if (t == nullptr) return take_urgent(w);
  if ((w.herd.placed.held() & urgent) != 0) ring_own_bell(w);
  return t;
}

// Of the shepherd's tasks that are not urgent, in turn with all others.
WEFT_COLD task* pick_placed(worker& w) noexcept {
  const uint32_t turn = w.placed_turn.get();
  w.placed_turn.set((turn + 1) % placed_kinds);
  w.tick.set(placed_pick_every);
  if (turn == 0) return w.herd.placed.take(place_queue::of_level(level::normal));
  if (turn == 1) return w.herd.placed.take(low);
  return nullptr;
}

// What the usual pick would take if nothing were urgent.
WEFT_COLD task* next_of_own(worker& w) noexcept {
  task* t = next_of_queues(w);
  return t != nullptr ? t : w.yielded.pop();
}

// The place of the oldest sticky task that yielded behind its children; null: there is none.
owned<behind_children_entry*>* oldest_behind(worker& w) noexcept {
  owned<behind_children_entry*>* at = &w.behind;
  if (at->get() == nullptr) return nullptr;
  while (at->get()->next.get() != nullptr) at = &at->get()->next;
  return at;
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
  // Older tasks that yield to their children again and again never leave: there is an end to
  // patience.
  const bool waited = w.yielded_passed.get() >= yielded_patience;
  task* t = w.yielded.pop_if([&](const task& y) {
    return waited || y.on.get() == nullptr || y.on.get()->yielded_at.get() <= oldest;
  });
  w.yielded_passed.set(t != nullptr || w.yielded.empty() ? 0 : w.yielded_passed.get() + 1);
  if (t == nullptr || w.woken.empty()) return t;
  w.woken.push(t);
  return w.woken.pop();
}

// Each second fair pick of a worker with schedulers is theirs.
task* take_served(worker& w) noexcept {
  w.served_turn.set(1 - w.served_turn.get());
  return w.served_turn.get() != 0 ? ask_schedulers(w) : nullptr;
}

// What a worker takes that takes nothing from others: what lies in no worker's queues.
task* look_alone(worker& w) noexcept {
  task* t = w.herd.placed.take(place_queue::any);
  if (t == nullptr)
    (void)any_shepherd_near(w.herd, [&](shepherd& s) {
      t = s.placed.take(place_queue::to_all);
      if (t == nullptr) t = take_shared(w, s);
      return t != nullptr;
    });
  return t;
}

// The oldest of one of the queues in turn. Null: nothing but the usual.
WEFT_COLD task* pick_oldest(worker& w) noexcept {
  constexpr uint32_t queues = 5;
  w.tick.set(fair_pick_every);
  w.begun.stamp();
  if (w.timers.next() != timer_queue::never) (void)run_due_timers(w);
  if (the().gone.load_relaxed() != 0) [[unlikely]]  // hint: the next time will do
    (void)run_all_due_timers();
  if (!w.mail.empty()) keep_mail(w);
  recall_offered(w);
  if (w.disabled.get()) {
    evacuate(w);
  } else if (w.herd.placed.held() != 0) {
    if (task* t = pick_placed(w)) return t;
  }
  if (w.schedulers.get() != nullptr && !w.disabled.get()) {
    if (task* t = take_served(w)) return t;
  }
  for (uint32_t tries = 0; tries < queues; ++tries) {
    const uint32_t turn = w.fair_turn.get();
    w.fair_turn.set((turn + 1) % queues);
    task* t = nullptr;
    if (turn == 0 && !w.woken.empty()) t = w.woken.pop();
    if (turn == 1) t = oldest_fresh(w);
    if (turn == 2) t = oldest_yielded(w);
    if (turn == 3 && !w.disabled.get()) t = take_shared(w, w.herd);
    if (turn == 4) t = take_oldest_behind(w);
    if (t != nullptr) return t;
  }
  return w.mail.empty() ? nullptr : next_of_own(w);  // else the bell would go before them
}

}  // namespace

task* pick_fairly(worker& w) noexcept {
  task* t = pick_oldest(w);
  if (t == nullptr) t = pick_usual(w);
  // This worker goes on with a task: others must know of what its tasks armed. If it has none, it
  // sees to it itself.
  if (t != nullptr && w.timers.hidden()) show_timers(w);
  return t;
}

task* next_of_queues(worker& w) noexcept {
  if (!w.woken.empty()) {
    if (task* t = w.woken.pop()) return t;
  }
  if (!w.offered.empty()) {
    if (task* t = w.offered.take()) return t;
  }
  if (w.behind.get() != nullptr) return pick_around_sticky(w);
  if (w.deque.remaining_hint() == 0) return nullptr;  // a pop that fails takes a fence
  return out_of_deque(w.deque.pop());
}

task* pick_around_sticky(worker& w) noexcept {
  behind_children_entry* first = w.behind.get();
  if (w.deque.end() > first->below.get()) {
    if (task* t = w.deque.pop()) return out_of_deque(t);
  }
  w.behind.set(first->next.get());
  return first->yielder.get();  // last use of *first: it lies on the yielder's stack
}

task* take_first(worker& w, task* first) noexcept {
  if (first == nullptr || first->next.get() == nullptr) return first;
  const bool alone = w.alone.get();
  for (task* t = first->next.get(); t != nullptr;) {
    task* const after = t->next.get();
    if (alone) {
      send_placed(&w, t, home_of_free);
    } else {
      w.woken.push(t);
    }
    t = after;
  }
  if (!alone) share_with_idle(w, 0);
  return first;
}

task* take_shared(worker& w, shepherd& from) noexcept {
  return from.shared.empty() ? nullptr : take_first(w, from.shared.take_all());
}

task* open_mail(worker& w) noexcept {
  if (w.attentive.get() && w.mail.holds_only(&w.marker)) return pick_attentively(w);
  if (drain_mail(w)) {
    // bell_R2 <- bell_R1; bell_R2 -> bell_R1: who queues from now on rings anew
    (void)w.bell_rung.exchange_acq_rel(0);
    if (task* t = answer_bell(w)) return t;
  }
  return w.attentive.get() ? pick_attentively(w) : nullptr;
}

task* pick_attentively(worker& w) noexcept {
  if (w.disabled.get()) [[unlikely]] {
    leave_finished(w);
    evacuate(w);
    return nullptr;
  }
  if (task* t = next_of_queues(w)) return t;
  return ask_schedulers(w);
}

void keep_mail(worker& w) noexcept {
  if (drain_mail(w)) w.mail.push(&w.bell);
}

void queue_again(worker& w, task* t) noexcept {
  const uint32_t home = t->on.get() != nullptr ? t->on.get()->home.get() : home_of_fresh(t->state);
  if (is_placed(home)) {
    send_placed(&w, t, home);
  } else {
    w.woken.push(t);
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
  w.stole_from.set(&victim);
  return out_of_deque(t);
}

// The task of a worker that has offered it since the last look and not switched in between; null:
// there is none. Next time it is the turn of `other`, which offers one now, or null.
task* take_offered(worker& w, worker* other) noexcept {
  const auto parks = [](const worker& v) {
    return v.parks.load_relaxed();  // hint: a wrong value costs a switch of workers
  };
  worker* of = w.hesitant.get();
  const bool goes_on = of != nullptr && parks(*of) != w.hesitant_parks.get();
  if (of != nullptr && !goes_on) {
    if (task* t = of->offered.take()) {
      count_one(w.steals);
      return t;
    }
  }
  w.vain_looks.set(goes_on ? w.vain_looks.get() + 1 : 0);
  // One that goes from task to task may have none on offer at the moment.
  if (other == nullptr && goes_on) other = of;
  w.hesitant.set(other);
  if (other != nullptr) w.hesitant_parks.set(parks(*other));
  return nullptr;
}

// What is done when nothing else is to be done anywhere.
task* take_low(worker& w) noexcept {
  task* t = w.herd.placed.take(low);
  if (t == nullptr)
    (void)any_shepherd_near(w.herd, [&](shepherd& s) {
      t = s.placed.take(low & place_queue::to_all);
      return t != nullptr;
    });
  return t;
}

task* look(worker& w) noexcept {
  if (w.timers.next() != timer_queue::never) (void)run_due_timers(w);
  if (w.slot_open.get() && (w.slot.is_full() || !w.mail.empty())) {
    if (task* t = close_slot(w)) return t;  // before the mail of who sent it
  }
  // What has come since then waits for the next look: with the slot open, what its sender delivers
  // next would overtake it.
  if (!w.slot_open.get() && !w.mail.empty()) {
    if (has_letters(w)) w.expects_more.set(true);
    if (task* t = open_mail(w)) return t;
  }
  recall_offered(w);  // by a timer's action
  if (!w.woken.empty()) {
    if (task* t = w.woken.pop()) return t;
  }
  if (w.disabled.get()) return nullptr;
  if (w.alone.get()) return look_alone(w);
  const uint32_t turn = next_turn(w);
  task* t = w.herd.placed.take(place_queue::any & ~low);
  if (t != nullptr) return t;
  worker* offers = nullptr;
  (void)any_shepherd_near(w.herd, [&](shepherd& s) {
    t = s.placed.take(place_queue::to_all & ~low);
    if (t == nullptr) t = take_shared(w, s);
    return t != nullptr || any_worker_of(s, turn, [&](worker& v) {
             if (&v == &w) return false;
             t = steal_from(w, v);
             if (offers == nullptr && !v.offered.empty()) offers = &v;
             return t != nullptr;
           });
  });
  if (t == nullptr) t = take_offered(w, offers);
  return t != nullptr ? t : take_low(w);
}

}  // namespace weft::rt
