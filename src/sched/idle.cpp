// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker with nothing to do: idle, it watches its own line, then sleeps.
//
// The steps (README.md, "Idle"):
//   1. look everywhere once; while it finds nothing and may search (search.cpp): a few rounds more.
//      Owners see the census not quiet and share at their next push or pick.
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
#include "sched/apart.hpp"
#include "sched/attention.hpp"
#include "sched/barrier.hpp"
#include "sched/delivery.hpp"
#include "sched/drain.hpp"
#include "sched/pick.hpp"
#include "sched/presence.hpp"
#include "sched/ready.hpp"
#include "sched/search.hpp"
#include "sched/serving.hpp"
#include "sched/spin.hpp"
#include "sched/timer.hpp"
#include "sched/watch.hpp"

namespace weft::rt {

namespace {

constexpr int64_t nap_ns = 50'000;

// Leaves the ranks of the idle, as a searcher: unasked, or told to. keeps: it kept the time.
void leave_idle(worker& w, bool keeps) noexcept {
  w.rises.raise();
  if (!w.disabled.get()) servers_rise(w);
  if (w.uncounted.get()) {
    w.uncounted.set(false);
    (void)w.wake.rise();
    (void)the().uncounted.add_relaxed(UINT32_MAX);  // count: by the rises and the fence
    fence_seq_cst();                                // bell_Q2 <> bell_Q1; W1 of quiescence.hpp
    return;
  }
  if (w.wake.rise() != wake_reason::handed) the().census.idle_leaves(true);
  if (keeps) the().keeper.resign();
  fence_seq_cst();  // keeper_T2 <> keeper_T1, bell_Q2 <> bell_Q1; W1 of quiescence.hpp
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
  step_apart(w);
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
  step_apart(w);
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
      for (uint32_t i = 0; i < pauses_per_look && !w.wake.is_notified(); ++i) arch::pause();
    }
    now = os::monotonic_ns();
  }
  leave_idle(w, keeps);
  if (due) (void)run_all_due_timers();
}

void become_idle(worker& w) noexcept {
  if (!w.disabled.get()) servers_idle(w);
  if (stays_uncounted(w)) {
    (void)end_search(w, nullptr);
    w.uncounted.set(true);
    w.wake.watch_uncounted();
    (void)the().uncounted.add_relaxed(1);  // count: the barrier comes next
    return;
  }
  w.searching.set(true);
  w.wake.watch();
  the().census.searcher_gives_up();
}

task* search_or_sleep(worker& w) noexcept {
  rest_after_short_steal(w);
  if (task* t = watch_for_more(w)) return t;
  if (task* t = look(w)) return t;
  for (;;) {
    if (!stays_uncounted(w)) {
      if (task* t = search_others(w)) return end_search(w, t);
    }
    if (task* t = close_slot(w)) return end_search(w, t);
    if (w.disabled.get() && try_to_go(w)) {
      (void)end_search(w, nullptr);
      return nullptr;
    }
    if (w.schedulers.get() != nullptr && !w.disabled.get()) pass_on_what_is_left(w);
    become_idle(w);
    wait_idle(w);
    if (the().stopping.load_acquire() != 0) {  // X2 <- X1
      end_search(w, nullptr);
      return nullptr;
    }
    if (stays_uncounted(w)) {
      if (task* t = look(w)) return end_search(w, t);
    }
  }
}

// It may have been called for a task of its shepherd, of a pool that it serves or from outside, and
// goes on with something else. Of what came from outside those who are idle uncounted do not hear
// by the census (end_search).
void pass_on_call(worker& w) noexcept {
  if (w.disabled.get()) return;
  // via: the call, or who is not counted yet looks after its barrier
  if (the().uncounted.load_relaxed() != 0 && any_from_outside()) wake_one(w.index);
  if ((w.herd.placed.held() & ~place_queue::to_all) != 0)
    call_for_placed(w.herd, w.index - w.herd.first + 1);
  if (w.schedulers.get() != nullptr) call_other_servers(w);
}

// Whether a worker other than w, which is up, is not idle: a hint.
bool others_are_up() noexcept {
  const uint32_t uncounted = the().uncounted.load_relaxed();  // hint: costs time only
  return the().census.idle_hint() + static_cast<int>(uncounted) + 1 < static_cast<int>(the().count);
}

// Up to 50 us or until called, where no claim may reach it.
void nap_uncounted(worker& w) noexcept {
  w.wake.watch_uncounted();
  fence_seq_cst();  // O2 <> O1: as in nap_counted()
  if (!any_work(w) && w.wake.fall_asleep_uncounted() && !w.wake.is_notified())
    (void)os::futex_wait_for(w.wake.futex(), wake_word::uncounted_asleep_value, nap_ns);
  (void)w.wake.rise();
  pass_on_call(w);
}

// The same, counted as idle. What it was called for, if that is its own to run.
task* nap_counted(worker& w) noexcept {
  the().napping.begin();
  the().census.becomes_searcher();
  become_idle(w);
  fence_seq_cst();  // O2 <> O1: not a barrier, so a wake may be missed; the nap is short
  if (!any_work(w) && w.wake.fall_asleep() && !w.wake.is_notified())
    (void)os::futex_wait_for(w.wake.futex(), wake_word::asleep_value, nap_ns);
  leave_idle(w, false);
  the().napping.end();
  pass_on_call(w);
  return end_search(w, nullptr);
}

}  // namespace

task* find_work(worker& w) noexcept {
  w.begun.stamp();
  task* t = search_or_sleep(w);
  if (task* delivered = close_slot(w)) {  // another was found just before
    queue_again(w, t);
    share_with_idle(w, 0);
    t = delivered;
  }
  if (t == nullptr) return nullptr;
  w.poll.begin();
  steal_more(w);
  w.vain_looks.set(0);
  if (w.timers.hidden()) show_timers(w);
  if (!w.disabled.get() && (w.herd.placed.held() & place_queue::of_level(level::high)) != 0)
    ring_own_bell(w);
  pass_on_call(w);
  return t;
}

task* look_beyond(worker& w) noexcept {
  if (earliest_shown() <= ticks_now() && run_all_due_timers()) return look(w);
  if (!w.poll.makes_many()) return nullptr;
  const bool uncounted = stays_uncounted(w);
  if (!uncounted && any_work(w)) return force_owners(w);
  if (!w.poll.may_nap(os::monotonic_ns(), spin_of(w))) return nullptr;
  task* found = nullptr;
  if (uncounted) {
    nap_uncounted(w);
  } else {
    found = nap_counted(w);
  }
  w.poll.napped(os::monotonic_ns(), others_are_up());
  return found;
}

}  // namespace weft::rt
