// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arming, firing, and telling those who sleep until when.
//
// What passes between who arms and who sleeps is in lockfree/time_keeper.hpp.
#include "sched/timer.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "os/clock.hpp"
#include "sched/apart.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sched/spin.hpp"
#include "sched/timer_tick.hpp"

namespace weft::rt {

namespace {

// So many timers are taken at a time, under the lock of their queue.
constexpr int batch = 64;

bool run_due(timer_queue& q, int64_t now) noexcept {
  bool any = false;
  for (bool more = q.next() <= now; more;) {
    timer_entry* e = q.take(now, batch, more);
    while (e != nullptr) {
      auto& t = static_cast<timer&>(*e);
      e = static_cast<timer_entry*>(e->next);
      t.action(t);
      timer_queue::fired(t);  // last use of t
      any = true;
    }
  }
  return any;
}

// After a full fence. False: the worker is awake, or on its way.
bool nudge(worker& v) noexcept {
  const wake_result r = v.wake.nudge();
  if (r == wake_result::must_wake) wake_thread(v);
  return r != wake_result::not_idle;
}

void nudge_one(uint32_t near) noexcept {
  for (uint32_t i = 0; i < the().count; ++i)
    if (nudge(the().workers[(near + i) % the().count])) return;
}

// Somebody is due at `tick`, which is shown.
WEFT_COLD void tell_keeper(int64_t tick, uint32_t near) noexcept {
  // keeper_T1 <> keeper_T2, keeper_T3: shown, then wake words and the word of the keeper
  fence_seq_cst();
  const time_keeper::view v = the().keeper.look();
  if (v.who == time_keeper::nobody) {
    nudge_one(near);
  } else if (v.alarm > tick) {
    (void)nudge(
        the().workers[v.who]);  // awake: it is leaving, and hands over what it finds shown then
  }
}

}  // namespace

void arm(timer& t, int64_t deadline_ns, timer_action action) noexcept {
  worker& w = *self();
  t.action = action;
  if (w.timers.arm(t, tick_of(deadline_ns)))
    w.tick.set(1);  // the next pick is a fair one: it shows
}

bool cancel(timer& t) noexcept { return timer_queue::cancel(t, spin_pause); }

bool run_due_timers(worker& w) noexcept { return run_due(w.timers, ticks_now()); }

bool run_all_due_timers() noexcept {
  const int64_t now = ticks_now();
  bool any = false;
  for (uint32_t i = 0; i < the().count; ++i) any |= run_due(the().workers[i].timers, now);
  return any;
}

void show_timers(worker& w) noexcept {
  const int64_t tick = w.timers.show();
  if (the().membarrier) {
    fence_light();  // O1 <> O2
  } else {
    fence_seq_cst();  // O1 <> O2
  }
  const time_keeper::view v = the().keeper.look();
  if (v.who == time_keeper::nobody || v.alarm > tick) tell_keeper(tick, w.index + 1);
}

int64_t earliest_shown() noexcept {
  int64_t earliest = timer_queue::never;
  for (uint32_t i = 0; i < the().count; ++i)
    earliest = std::min(earliest, the().workers[i].timers.shown());
  return earliest;
}

void hand_over_time(worker& w) noexcept {
  if (!the().keeper.vacant() || earliest_shown() == timer_queue::never) return;
  nudge_one(w.index + 1);
}

}  // namespace weft::rt
