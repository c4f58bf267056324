// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker does next.
#pragma once

#include "base/attributes.hpp"
#include "sched/idle.hpp"
#include "sched/ready.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

// One look at everything that is open: mail, then shepherd by shepherd, the nearest first, the
// inbox and the workers' deques. Null: nothing.
task* look(worker& w) noexcept;

// Of tasks that w has got, linked by next: the first, to run now. The rest is in sight of those who
// are idle: in the ready queue or, by one that takes nothing from others and is not asked for what
// it has, in its shepherd's list. Null: there are none.
task* take_first(worker& w, task* first) noexcept;

// The same of what lies in a shepherd's inbox.
task* take_shared(worker& w, shepherd& from) noexcept;

// Takes the oldest task that is open in a worker's deque. Null: nothing.
task* steal_from(worker& w, worker& victim) noexcept;

// What the usual pick would take from the worker's own queues if nothing had yielded. Null:
// nothing.
task* next_of_queues(worker& w) noexcept;

// Moves the mail to the ready queue. An urgent task to run at once, if the bell was there; else
// null.
task* open_mail(worker& w) noexcept;
// What an attentive worker does before the usual pick. Null: the usual.
task* pick_attentively(worker& w) noexcept;
// As open_mail, leaving the bell where it is.
void keep_mail(worker& w) noexcept;

// A task that was picked and not run.
void queue_again(worker& w, task* t) noexcept;

// So many fair picks in a row leave the oldest fresh task alone while newer ones run. Starting it
// leaves depth first, and costs the stacks of one more path in the tree of tasks.
inline constexpr uint32_t fresh_patience = 2048;
// So many fair picks in a row pass over the oldest yielded task while older ones are ready.
inline constexpr uint32_t yielded_patience = 512;

// The fair pick: the oldest of one of the queues in turn, else the usual. Timers that are due are
// fired, and what its tasks armed is shown if the worker goes on with one, wherever it came from.
WEFT_COLD task* pick_fairly(worker& w) noexcept;

// The newest of the deque, or the sticky task that yielded just beneath it. Not null.
WEFT_COLD task* pick_around_sticky(worker& w) noexcept;

// pick() but for the fair turn.
WEFT_ALWAYS_INLINE task* pick_usual(worker& w) noexcept {
  share_with_idle(w, 1);
  if (!w.mail.empty()) [[unlikely]] {
    if (task* t = open_mail(w)) return t;
  }
  if (!w.woken.empty()) {
    w.fresh_passed.set(fresh_patience);
    if (task* t = w.woken.pop()) return t;
  }
  if (!w.offered.empty()) [[unlikely]] {
    w.fresh_passed.set(fresh_patience);
    if (task* t = w.offered.take()) return t;
  }
  if (w.behind.get() != nullptr) [[unlikely]]
    return pick_around_sticky(w);
  if (task* t = w.deque.pop()) return out_of_deque(t);
  if (!w.yielded.empty()) {
    if (task* t = w.yielded.pop()) return t;
  }
  return find_work(w);
}

// The next task for this worker, taken out of its queue. Sleeps while there is none; null: the
// worker shall stop.
WEFT_ALWAYS_INLINE task* pick(worker& w) noexcept {
  const uint32_t tick = w.tick.get() - 1;
  w.tick.set(tick);
  if (tick == 0) [[unlikely]]
    return pick_fairly(w);
  return pick_usual(w);
}

}  // namespace weft::rt
