// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker with nothing to do: search, watch its own line, sleep.
//
// The steps (README.md, "Idle"):
//   1. look everywhere once; while it finds nothing and may search: a few rounds more. Owners see
//      the census not quiet and share at their next push or pick.
//   2. an owner that does not answer: share for it, which takes a process-wide barrier.
//   3. give up: watch the own wake word, count as idle.
//   4. once, after a barrier: look at all work again, hidden work included (O2). Found: back to 1.
//   5. watch for the worker's spin_ns, then sleep on the futex, no longer than until the earliest
//      timer that this worker answers for: its own, and as the keeper of time what is shown of all.
//
// Orders
//   keeper_T1 <> keeper_T2, keeper_T3   lockfree/time_keeper.hpp, K3 <> K4 and K5 <> K4; its K1 <>
//                                       K2 is O1 <> O2
#include "sched/idle.hpp"

#include <algorithm>

#include "arch/cpu.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/timer_slack.hpp"
#include "sched/attention.hpp"
#include "sched/barrier.hpp"
#include "sched/delivery.hpp"
#include "sched/drain.hpp"
#include "sched/near.hpp"
#include "sched/pick.hpp"
#include "sched/presence.hpp"
#include "sched/ready.hpp"
#include "sched/serving.hpp"
#include "sched/spin.hpp"
#include "sched/timer.hpp"

namespace weft::rt {

namespace {

constexpr int64_t nap_ns = 50'000;
constexpr uint32_t pauses_per_round = 16;

constexpr uint32_t search_rounds = 32;  // some microseconds
constexpr uint32_t search_rounds_unspun =
    4;  // others need this CPU: more workers than there are, say

// How often a rest is doubled.
constexpr uint32_t most_lengthenings = 4;

// Mail is answered by mail, and a loop is followed by a loop: a worker whose last task came that
// way watches for the next so long before it searches, which would cost both sides the census.
constexpr uint32_t pauses_for_more = 64;

// Who has helped with two loops, one soon after the other, watches for the next for so many times
// as long as it watches before it sleeps: a loop that is told to one that sleeps is mostly over
// before it comes.
constexpr int64_t spins_for_loops = 20;
constexpr uint32_t rests_per_look = 8;

// About what a steal and a task's end elsewhere cost thief and owner. Of tasks that take less the
// thief leaves most to their owner: it rests after each, longer if the one before was as short.
constexpr int64_t short_steal_ns = 500;
constexpr int64_t rest_ns = 500;
constexpr uint32_t most_doublings = 3;

int64_t spin_of(const worker& w) noexcept {
  return w.spin_ns.load_relaxed();  // hint: a wrong value costs time only
}

// There is mail, or a task in the slot.
bool is_called(const worker& w) noexcept {
  return has_letters(w) || (w.slot_open.get() && w.slot.is_full());
}

// One round's rest; mail ends it. Longer after looks in vain: each takes lines that others write at
// every switch.
void pause_between_looks(const worker& w, uint32_t vain) noexcept {
  const uint32_t pauses = pauses_per_round << std::min(vain, most_lengthenings);
  for (uint32_t i = 0; i < pauses && !is_called(w); ++i) arch::pause();
}

// What a worker could get by asking or forcing: nothing that is bound to its owner counts.
bool has_work_for_others(const worker& v) noexcept {
  return v.deque.remaining_hint() > 0 || !v.offered.empty() || v.woken.leavable() > 0 ||
         v.yielded.leavable() > 0;
}

bool any_work_of_others(const worker& w) noexcept {
  for (uint32_t i = 0; i < the().shepherd_count; ++i) {
    const shepherd& s = the().shepherds[i];
    if (!s.shared.empty() || (s.placed.held() & place_queue::to_all) != 0) return true;
  }
  for (uint32_t i = 0; i < the().count; ++i)
    if (i != w.index && has_work_for_others(the().workers[i])) return true;
  return false;
}

bool any_from_outside() noexcept {
  for (uint32_t i = 0; i < the().shepherd_count; ++i)
    if (!the().shepherds[i].shared.empty()) return true;
  return false;
}

// What this worker would take.
bool any_work(const worker& w) noexcept {
  if (has_letters(w)) return true;
  if (w.disabled.get()) return false;
  if (w.herd.placed.held() != 0 || serves_work(w)) return true;
  return w.alone.get() ? any_from_outside() : any_work_of_others(w);
}

// Nothing would come of a claim that reached it.
bool stays_uncounted(const worker& w) noexcept { return w.disabled.get() || w.alone.get(); }

// Puts what a visit brought in among the own ready tasks and takes the first.
task* keep(worker& w, ready_queue::chain c) noexcept {
  if (c.first == nullptr) return nullptr;
  count_one(w.forced_shares);
  for (task* t = c.first->next.get(); t != nullptr;) {
    task* after = t->next.get();
    w.woken.push(t);
    t = after;
  }
  return c.first;
}

// The stop, or who waits for the end of all work.
bool somebody_waits_for_idleness() noexcept {
  return the().stopping.load_relaxed() != 0 ||          // hint: the stopper tells all
         the().drain_waiter.load_relaxed() != nullptr;  // hint: asked again, once idle
}

// Waits for this worker's turn of the barrier, before it closes anything an owner could wait for.
// Not null: work came into sight meanwhile, and there was no turn.
task* await_turn(worker& w) noexcept {
  while (!claim_process_barrier(os::monotonic_ns())) {
    if (task* t = look(w)) return t;
    pause_between_looks(w, 0);
  }
  return nullptr;
}

// Work of an owner that does not answer. Each kind of it takes a barrier.
task* force_one(worker& w, worker& v) noexcept {
  if (v.deque.has_private()) {
    if (task* t = await_turn(w)) return t;
    if (v.deque.force_share(process_barrier)) {
      count_one(w.forced_shares);
      if (task* t = steal_from(w, v)) return t;
    }
  }
  for (ready_queue* from : {&v.woken, &v.yielded}) {
    if (from->leavable() == 0) continue;
    if (task* t = await_turn(w)) return t;
    if (task* t = keep(w, from->visit(process_barrier))) return t;
  }
  return nullptr;
}

task* force(worker& w) noexcept {
  task* t = nullptr;
  (void)any_worker_near(w.herd, w.index - w.herd.first + 1, [&](worker& v) {
    if (&v != &w) t = force_one(w, v);
    return t != nullptr;
  });
  return t;
}

void begin_to_search(worker& w) noexcept {
  the().census.becomes_searcher();
  w.searching.set(true);
}

// This worker stops to search because it found something, or may not.
task* found(worker& w, task* t) noexcept {
  if (!w.searching.get()) return t;
  w.searching.set(false);
  if (the().census.searcher_found() && (any_work(w) || any_work_of_others(w))) wake_one(w.index);
  return t;
}

// Leaves the ranks of the idle, as a searcher: unasked, or told to. keeps: it kept the time.
void leave_idle(worker& w, bool keeps) noexcept {
  w.rises.store_release(w.rises.load_relaxed() + 1);  // W7 -> W6; own: only its worker writes
  fence_seq_cst();                                    // W7 <> W6
  if (!w.disabled.get()) servers_rise(w);
  if (w.uncounted.get()) {
    w.uncounted.set(false);
    (void)w.wake.rise();
    (void)the().uncounted.add_relaxed(UINT32_MAX);  // count: by the rises and the fence
    fence_seq_cst();                                // bell_Q2 <> bell_Q1
    return;
  }
  if (w.wake.rise() != wake_reason::handed) the().census.idle_leaves(true);
  if (keeps) the().keeper.resign();
  fence_seq_cst();  // keeper_T2 <> keeper_T1, bell_Q2 <> bell_Q1
  hand_over_time(w);
}

// Whether an idle worker has timers to run: its own, and as the keeper of time those of all.
bool timer_is_due(const worker& w, bool keeps, int64_t now_tick) noexcept {
  return w.timers.next() <= now_tick || (keeps && earliest_shown() <= now_tick);
}

// After the barrier: whether there is a reason not to sleep.
bool must_rise(worker& w) noexcept {
  if (any_work(w)) return true;
  if (the().stopping.load_relaxed() != 0) return true;  // via: the barrier; the stopper tells all
  tell_drained();
  return !w.woken.empty();  // it was this worker's main that waited
}

// In the kernel until called or there is a timer of its own to run.
void sleep_uncounted(worker& w) noexcept {
  count_one(w.sleeps);
  const int64_t until = w.timers.next();
  while (w.wake.is_asleep_uncounted()) {
    if (until == timer_queue::never) {
      os::futex_wait(w.wake.futex(), wake_word::uncounted_asleep_value);
    } else {
      const os::exact_timers exact;
      if (!os::futex_wait_until(w.wake.futex(), wake_word::uncounted_asleep_value,
                                start_of_tick(until)))
        w.wake.stir_uncounted();
    }
  }
  count_one(w.wakes);
}

// In the kernel until notified, nudged, or there is a timer to run. Returns the keeper's alarm.
int64_t sleep_idle(worker& w, bool keeps, int64_t alarm) noexcept {
  fence_seq_cst();  // keeper_T3 <> keeper_T1: fall_asleep, then what is shown and who keeps
  if (!keeps && the().keeper.vacant()) {
    w.wake.stir();
    return alarm;
  }
  // What was shown is the keeper's affair, what was not is the owner's.
  int64_t until = w.timers.hidden() ? w.timers.next() : timer_queue::never;
  if (keeps) {
    alarm = std::min(alarm, earliest_shown());
    the().keeper.set_alarm(w.index, alarm);
    until = std::min(until, alarm);
  }
  count_one(w.sleeps);
  if (until == timer_queue::never) {
    while (w.wake.is_asleep()) os::futex_wait(w.wake.futex(), wake_word::asleep_value);
  } else {
    const os::exact_timers exact;
    const int64_t deadline_ns = start_of_tick(until);
    while (w.wake.is_asleep())
      if (!os::futex_wait_until(w.wake.futex(), wake_word::asleep_value, deadline_ns))
        w.wake.stir();
  }
  count_one(w.wakes);
  return alarm;
}

// Idle until told, or until there is work or a timer to run; returns as a searcher.
void wait_idle(worker& w) noexcept {
  const bool uncounted = w.uncounted.get();  // then it keeps no time but its own
  bool keeps = !uncounted && the().keeper.become(w.index);
  int64_t alarm = timer_queue::never;  // published
  bool looked = false;
  uint64_t point = barrier_point();
  int64_t now = os::monotonic_ns();
  const int64_t since = now;
  w.stacks.trim_idle();
  bool due = false;
  for (;;) {
    const int64_t now_tick = now >> tick_bits;
    due = timer_is_due(w, keeps, now_tick);
    if (due || w.wake.is_notified()) break;
    bool anew = !uncounted && !keeps && the().keeper.become(w.index);
    if (anew) keeps = true;
    if (keeps && alarm <= now_tick) {  // in vain: what it was set for is gone
      alarm = timer_queue::never;
      the().keeper.set_alarm(w.index, alarm);
      anew = true;
    }
    if (anew) {  // a new alarm takes a barrier
      looked = false;
      point = barrier_point();
    }
    if (!looked && (barrier_since(point) || try_process_barrier(now))) {
      looked = true;
      if (must_rise(w)) break;
    }
    const int64_t spin = spin_of(w);  // may be changed meanwhile
    const bool sleepy = looked && now - since >= spin;
    if (sleepy && uncounted && w.wake.fall_asleep_uncounted()) {
      sleep_uncounted(w);
    } else if (sleepy && !uncounted && w.wake.fall_asleep()) {
      alarm = sleep_idle(w, keeps, alarm);
    } else {
      if (spin == 0) spin_pause(UINT32_MAX);  // others need this CPU
      for (uint32_t i = 0; i < pauses_per_round && !w.wake.is_notified(); ++i) arch::pause();
    }
    now = os::monotonic_ns();
  }
  leave_idle(w, keeps);
  if (due) (void)run_all_due_timers();
}

void become_idle(worker& w) noexcept {
  if (!w.disabled.get()) servers_idle(w);
  if (stays_uncounted(w)) {
    (void)found(w, nullptr);
    w.uncounted.set(true);
    w.wake.watch_uncounted();
    (void)the().uncounted.add_relaxed(1);  // count: the barrier comes next
    return;
  }
  w.searching.set(true);
  w.wake.watch();
  the().census.searcher_gives_up();
}

void rest_after_short_steal(worker& w) noexcept {
  if (!w.stole.get()) return;
  w.stole.set(false);
  int64_t now = os::monotonic_ns();
  if (now - w.searched_ns.get() < short_steal_ns) {
    const int64_t until = now + (rest_ns << w.short_steals.get());
    w.short_steals.set(std::min(w.short_steals.get() + 1, most_doublings));
    while (now < until && !has_letters(w)) {
      for (uint32_t i = 0; i < pauses_per_round; ++i) arch::pause();
      now = os::monotonic_ns();
    }
  } else {
    w.short_steals.set(0);
  }
  w.searched_ns.set(now);
}

// Null: there may be mail.
task* watch_for_more(worker& w) noexcept {
  if (!w.expects_more.get() || spin_of(w) == 0) return nullptr;
  w.expects_more.set(false);
  open_slot(w);
  for (uint32_t i = 0; i < pauses_for_more && !is_called(w); ++i) arch::pause();
  return w.slot_open.get() && w.slot.is_full() ? close_slot(w) : nullptr;
}

// Whether the tasks of one worker wake each other, which takes up all that it offers, and nobody
// has more than the task that it is about to switch to.
bool sees_turns_only(const worker& w) noexcept {
  if (w.vain_looks.get() == 0 || spin_of(w) == 0) return false;
  for (uint32_t i = 0; i < the().count; ++i) {
    const worker& v = the().workers[i];
    if (&v == &w || !has_work_for_others(v)) continue;
    if (&v != w.hesitant.get() || v.deque.remaining_hint() > 0 || v.woken.leavable() > 1 ||
        v.yielded.leavable() > 0)
      return false;
  }
  return true;
}

// One that searches makes each wake of such tasks dearer. If no other worker is idle, this one
// looks now and then as if it were at work, so that its searching shows to nobody, as long as it
// sees nothing else. Null, as a searcher again: it does, or others are idle.
task* watch_turns(worker& w) noexcept {
  if (w.vain_looks.get() < most_lengthenings || the().census.idle_hint() > 0 ||
      the().census.searching_hint() > 1)
    return nullptr;
  (void)found(w, nullptr);
  task* t = nullptr;
  do {
    pause_between_looks(w, most_lengthenings);
    t = look(w);
  } while (t == nullptr && !stays_uncounted(w) && sees_turns_only(w));
  begin_to_search(w);
  return t;
}

// As a searcher that has found nothing: until the next loop comes, or anything else. Null: nothing
// came, or others wait for this worker to be idle.
task* watch_for_loops(worker& w) noexcept {
  if (!w.loops_follow.get()) return nullptr;
  const int64_t until = w.helped_ns.get() + spins_for_loops * spin_of(w);
  while (os::monotonic_ns() < until && !stays_uncounted(w) && !somebody_waits_for_idleness()) {
    for (uint32_t i = 0; i < rests_per_look && !is_called(w); ++i) pause_between_looks(w, 0);
    if (task* t = look(w)) return t;
    if (earliest_shown() <= ticks_now() && run_all_due_timers())
      continue;  // its own queue may have something
  }
  return nullptr;
}

// What others have, as a counted searcher. Null: nothing, or it stays uncounted.
task* search_others(worker& w) noexcept {
  if (!w.searching.get()) begin_to_search(w);
  const bool spins = spin_of(w) != 0;
  const uint32_t rounds = spins ? search_rounds : search_rounds_unspun;
  if (spins) open_slot(w);
  for (uint32_t round = 0; round < rounds; ++round) {
    if (task* t = look(w)) return t;
    if (stays_uncounted(w)) return nullptr;
    if (!sees_turns_only(w)) {
      pause_between_looks(w, 0);
      continue;
    }
    round = 0;  // to give up now would be to be called at its next switch
    if (task* t = watch_turns(w)) return t;
    if (stays_uncounted(w)) return nullptr;
    pause_between_looks(w, w.vain_looks.get());
  }
  task* const t = force(w);
  return t != nullptr ? t : watch_for_loops(w);
}

task* search(worker& w) noexcept {
  rest_after_short_steal(w);
  if (task* t = watch_for_more(w)) return t;
  if (task* t = look(w)) return t;
  for (;;) {
    if (!stays_uncounted(w)) {
      if (task* t = search_others(w)) return found(w, t);
    }
    if (task* t = close_slot(w)) return found(w, t);
    if (w.disabled.get() && try_to_go(w)) {
      (void)found(w, nullptr);
      return nullptr;
    }
    become_idle(w);
    wait_idle(w);
    if (the().stopping.load_acquire() != 0) {  // X2 <- X1
      found(w, nullptr);
      return nullptr;
    }
    if (stays_uncounted(w)) {
      if (task* t = look(w)) return found(w, t);
    }
  }
}

// Up to 50 us or until called, where no claim may reach it.
void nap_uncounted(worker& w) noexcept {
  w.wake.watch_uncounted();
  fence_seq_cst();  // O2 <> O1: as in nap()
  if (!any_work(w) && w.wake.fall_asleep_uncounted() && !w.wake.is_notified())
    (void)os::futex_wait_for(w.wake.futex(), wake_word::uncounted_asleep_value, nap_ns);
  (void)w.wake.rise();
}

}  // namespace

task* find_work(worker& w) noexcept {
  w.begun.stamp();
  task* t = search(w);
  if (task* delivered = close_slot(w)) {  // another was found just before
    queue_again(w, t);
    t = delivered;
  }
  if (t == nullptr) return nullptr;
  w.vain_looks.set(0);
  if (w.timers.hidden()) show_timers(w);
  if (!w.disabled.get() && (w.herd.placed.held() & place_queue::of_level(level::high)) != 0)
    ring_own_bell(w);
  if (w.schedulers.get() != nullptr && !w.disabled.get()) call_other_servers(w);
  return t;
}

task* nap(worker& w) noexcept {
  if (earliest_shown() <= ticks_now() && run_all_due_timers()) return look(w);
  if (stays_uncounted(w)) {
    nap_uncounted(w);
    return nullptr;
  }
  if (any_work(w)) return force(w);
  the().census.becomes_searcher();
  become_idle(w);
  fence_seq_cst();  // O2 <> O1: not a barrier, so a wake may be missed; the nap is short
  if (!any_work(w) && w.wake.fall_asleep() && !w.wake.is_notified())
    (void)os::futex_wait_for(w.wake.futex(), wake_word::asleep_value, nap_ns);
  leave_idle(w, false);
  return found(w, nullptr);
}

void expect_loops(worker& w) noexcept {
  const int64_t now = os::monotonic_ns();
  w.loops_follow.set(now - w.helped_ns.get() < spins_for_loops * spin_of(w));
  w.helped_ns.set(now);
  w.expects_more.set(true);
  w.stole.set(false);  // what it stole was the invitation, and is nothing to rest from
}

}  // namespace weft::rt
