// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Yielding, to anybody and to somebody.
//
// Parents that poll for their children by yielding run depth first: the first yield after a spawn
// puts the parent just beneath its children in the deque, so it resumes when they have been taken,
// and few stacks live at a time. A second yield in a row goes behind everything, so it lets every
// older task run.
#include "sched/yield.hpp"

#include <cerrno>
#include <sched.h>

#include "sched/attention.hpp"
#include "sched/finish.hpp"
#include "sched/idle.hpp"
#include "sched/pick.hpp"
#include "sched/pool.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/suspend.hpp"
#include "sched/switch.hpp"
#include "sched/switching.hpp"

namespace weft::rt {

namespace {

// stack::yielded_at: the deque's end when the task on it gave way to everything, so that a fair
// pick can tell whether all that lay in the deque then has been taken: its oldest index is not
// below.
// A task that belongs to a shepherd waits where all its workers see it; a worker looks there last.
// One that is urgent would be the next again: while it yields it is as others.
void behind_everything(worker& w, task* me, void*) noexcept {
  const uint32_t home = me->on.get()->home.get();
  if (is_pool(home)) [[unlikely]] {
    send_behind_pool(w, me, pool_in(home));
    return;
  }
  if (is_placed(home) && home != make_home(open_to_all, level::high)) [[unlikely]] {
    const level as = level_in(home) == level::high ? level::normal : level_in(home);
    send_placed(&w, me, make_home(shepherd_in(home), as));
    return;
  }
  me->on.get()->yielded_at.set(w.deque.end());
  w.yielded.push(me);
  share_with_idle(w, 0);
}

// argument: an entry on the yielder's stack.
void behind_children(worker& w, task* me, void* argument) noexcept {
  auto* entry = static_cast<behind_children_entry*>(argument);
  if (me->on.get()->home.get() == no_worker) {
    me->state.raise(flag_in_deque);
    if (w.deque.insert_below(me, w.deque.end() - entry->below.get())) {
      share_with_idle(w, 0);
      return;
    }
    me->state.drop(flag_in_deque);
  }
  // Sticky (a deque is open to thieves), or the deque cannot grow.
  entry->next.set(w.behind.get());
  w.behind.set(entry);
}

// The other half of a straight yield: publishes the yielder. The lock of the queue is closed.
void end_turn(worker& w, task* me, void*) noexcept {
  w.yielded.end_turn(me);
  share_with_idle(w, 0);
}

// Parks behind everything until picked. On failure what was to be handed over stays ready.
int give_way(worker& w, task* next) noexcept {
  const int failed = park(w, next, behind_everything, nullptr);
  if (failed == 0) {
    // The straight yield writes nothing here: it finds the deque empty.
    self()->on.get()->yielded_at.set(INT64_MIN);
    return 0;
  }
  if (task* t = w.handover.get()) {
    w.handover.set(nullptr);
    queue_again(w, t);
  }
  return failed;
}

int give_way_to(worker& w, task* t) noexcept {
  w.poll.begin();
  if (t->on.get() != nullptr) [[likely]]
    return give_way(w, t);
  notes::release(&w.handover);  // it may have come by mail just now
  w.handover.set(t);
  return give_way(w, nullptr);
}

int yield_with_nothing_ready(worker& w) noexcept {
  task* t = look(w);
  if (t == nullptr && w.poll.yielded()) t = look_beyond(w);
  return t != nullptr ? give_way_to(w, t) : 0;
}

int give_way_behind(worker& w, int64_t below) noexcept {
  behind_children_entry entry{owned(w.current.get()), owned(below), {}};
  notes::forget(&entry, &entry + 1);  // for the loops that use it now
  const int failed = park(w, nullptr, behind_children, &entry);
  notes::forget(&entry, &entry + 1);  // and after them
  return failed;
}

WEFT_NOINLINE int yield_slow(worker& w, task* me) noexcept {
  if (me->has(flag_stackless)) [[unlikely]]
    return refuse_to_block("weft_task_yield", *me);
  if (is_called_aside(w)) part_from_callers(w);  // also where nothing else is to be run
  const int64_t end = w.deque.end();
  const int64_t children = end - w.yield_mark.get();
  if (children > 0 && w.deque.remaining_hint() > 0 && !is_placed(w.on.get()->home.get()))
      [[unlikely]] {
    const int64_t below = w.yield_mark.get();
    w.yield_mark.set(end);
    w.poll.begin();
    return give_way_behind(w, below);
  }
  if (!w.mail.empty()) [[unlikely]]
    keep_mail(w);
  recall_offered(w);
  if (w.attentive.get()) [[unlikely]] {
    // Its pool decides whether it goes before others again.
    if (is_pool(w.on.get()->home.get())) return give_way(w, nullptr);
    if (has_letters(w)) return give_way(w, nullptr);  // an order, or the bell
    if (task* t = pick_attentively(w)) return give_way_to(w, t);
    // Others take it: the next pick of a worker that is disabled leaves all that is free to them.
    if (w.disabled.get() && w.on.get()->home.get() == no_worker) return give_way(w, nullptr);
  }
  const bool fair = w.tick.get() <= 1 || has_letters(w);  // or urgent
  if (!fair && w.woken.empty() && w.deque.remaining_hint() == 0 && w.behind.get() == nullptr) {
    task* next = w.yielded.pop();
    if (next == nullptr) {
      if (children > 0) {  // others have taken them
        w.yield_mark.set(end);
        w.poll.begin();
      }
      return yield_with_nothing_ready(w);
    }
    w.tick.set(w.tick.get() - 1);
    return give_way_to(w, next);
  }
  w.poll.begin();
  return give_way(w, nullptr);
}

}  // namespace

int yield() noexcept {
  worker* w = self();
  task* me = current_task(w);
  if (me == nullptr) [[unlikely]] {
    sched_yield();
    return -ENOTCONN;
  }
  // The usual case first: nothing fresh, woken or mailed, no fair pick due, nothing to save, nobody
  // to part from. Of five words that are null as a rule it is asked at once, by what all of them
  // are together.
  const int nothing_else = int{w->woken.empty()} & int{w->mail.empty()} & int{w->offered.empty()} &
                           int{w->behind.get() == nullptr} & int{!is_called_aside(*w)};
  if (nothing_else != 0 && w->deque.remaining_hint() == 0 && w->tick.get() > 1 &&
      !me->has(flag_stackless | flag_save_fp) && w->exceptions->clean()) [[likely]] {
    if (task* next = w->yielded.begin_turn(*w->on.get())) {
      w->tick.set(w->tick.get() - 1);
      w->poll.begin();
      on_leaving(*w, end_turn, me, nullptr);
      worker& here = arrive(switch_straight(*w, w->on.get(), *me, *next, {}), end_turn, end_turn);
      here.yield_mark.set(here.deque.end());
      return 0;
    }
  }
  return yield_slow(*w, me);
}

int yield_to(task* t) noexcept {
  worker* w = self();
  task* me = current_task(w);
  if (t == nullptr || t == me) return -EINVAL;
  if (me == nullptr) return -EPERM;
  if (me->has(flag_stackless)) return refuse_to_block("weft_task_yield_to", *me);
  for (const task* at = me; at != nullptr; at = at->beneath())
    if (at == t) return -EDEADLK;
  recall_offered(*w);
  if (claim_suspended(*w, t) || w->woken.remove(t) || w->yielded.remove(t)) {
    notes::release(t);
    return give_way_to(*w, t);
  }
  return w->deque.take_private(t) ? give_way_to(*w, t) : -EBUSY;
}

int give_way_to_newest(worker& w) noexcept { return give_way_behind(w, w.deque.end() - 1); }

}  // namespace weft::rt
