// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watching for more mail and for the next loop.
#include "sched/watch.hpp"

#include <algorithm>

#include "arch/cpu.hpp"
#include "os/clock.hpp"
#include "sched/attention.hpp"
#include "sched/delivery.hpp"
#include "sched/pick.hpp"
#include "sched/timer.hpp"

namespace weft::rt {

namespace {

// Mail is answered by mail, and a loop is followed by a loop: a worker whose last task came that
// way watches for the next so long before it searches, which would cost both sides the census.
constexpr uint32_t pauses_for_more = 64;

// Who has helped with two loops, one soon after the other, watches for the next for so many times
// as long as it watches before it sleeps: a loop that is told to one that sleeps is mostly over
// before it comes.
constexpr int64_t spins_for_loops = 20;
constexpr uint32_t rests_per_look = 8;

// There is mail, or a task in the slot.
bool is_called(const worker& w) noexcept {
  return has_letters(w) || (w.slot_open.get() && w.slot.is_full());
}

// The stop, or who waits for the end of all work.
bool somebody_waits_for_idleness() noexcept {
  return the().stopping.load_relaxed() != 0 ||          // hint: the stopper tells all
         the().drain_waiter.load_relaxed() != nullptr;  // hint: asked again, once idle
}

}  // namespace

bool has_nothing_else(const worker& w) noexcept {
  return w.tick.get() > 1 && w.woken.empty() && w.mail.empty() && w.offered.empty() &&
         w.deque.remaining_hint() == 0 && w.yielded.empty() && w.behind.get() == nullptr;
}

void pause_between_looks(const worker& w, uint32_t vain) noexcept {
  const uint32_t pauses = pauses_per_look << std::min(vain, most_lengthenings);
  for (uint32_t i = 0; i < pauses && !is_called(w); ++i) arch::pause();
}

task* watch_for_more(worker& w) noexcept {
  if (!w.expects_more.get() || spin_of(w) == 0) return nullptr;
  w.expects_more.set(false);
  open_slot(w);
  for (uint32_t i = 0; i < pauses_for_more && !is_called(w); ++i) arch::pause();
  return w.slot_open.get() && w.slot.is_full() ? close_slot(w) : nullptr;
}

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

void watch_early(worker& w) noexcept {
  const task& me = *w.current.get();
  const bool leaves_nothing = me.state.plain() && me.record() == nullptr;
  if (leaves_nothing && spin_of(w) != 0 && !stays_uncounted(w) &&
      w.timers.next() == timer_queue::never && has_nothing_else(w))
    open_slot(w);
}

bool watch_for_same(worker& w, weft_fn_t fn, void*& argument) noexcept {
  if (!w.slot_open.get()) return false;
  for (uint32_t i = 0; i < pauses_for_more && has_nothing_else(w) && !w.slot.is_full(); ++i)
    arch::pause();
  if (!shut_slot(w)) return false;
  const bool goes_on = w.slot.elsewhere() == nullptr && has_nothing_else(w);
  if (const delivery& d = w.slot.item(); goes_on && d.fn.get() == fn && d.flags.get() == 0) {
    w.tick.set(w.tick.get() - 1);  // as a pick
    argument = d.argument.get();
    w.current.get()->site.set(d.site.get());
    return true;
  }
  queue_again(w, unpack_delivery(w));
  return false;
}

void expect_loops(worker& w) noexcept {
  const int64_t now = os::monotonic_ns();
  w.loops_follow.set(now - w.helped_ns.get() < spins_for_loops * spin_of(w));
  w.helped_ns.set(now);
  w.expects_more.set(true);
  w.stole_from.set(nullptr);  // what it stole was the invitation, and is nothing to rest from
}

}  // namespace weft::rt
