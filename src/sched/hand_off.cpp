// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-off: who may be handed off where, and the worker that takes it.
#include "sched/hand_off.hpp"

#include <cerrno>

#include "base/check.hpp"
#include "sched/home.hpp"
#include "sched/pool.hpp"
#include "sched/presence.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/self.hpp"
#include "sched/suspend.hpp"
#include "sched/switch.hpp"

namespace weft::rt {

namespace {

// Whether a task with that home may run on a worker, which need not be the caller's.
bool may_go_to(const worker& w, uint32_t home) noexcept {
  if (is_pool(home)) return pool_at(pool_in(home)).servers().has(w.index);
  if (may_run_anywhere(home)) return true;
  return is_placed(home) ? shepherd_in(home) == number_of(w.herd) : home == w.index;
}

// Runs on the next stack.
void leave_for(worker&, task* me, void* target) noexcept {
  put_ahead(*static_cast<worker*>(target), me);
}

int go_to(worker& w, task& me, worker& target) noexcept {
  if (me.has(flag_stackless)) return refuse_to_block("weft_task_hand_off", me);
  if (&w == &target) return 0;
  if (!may_go_to(target, w.on.get()->home.get())) return -EPERM;
  if (!try_bind_to(target, &w)) return -ERANGE;
  const int failed = park(w, nullptr, leave_for, &target);
  if (failed != 0) withdraw_from(target);
  return failed;
}

}  // namespace

void put_ahead(worker& target, task* t) noexcept {
  target.handed.push(t);
  if (target.bell_rung.exchange_acq_rel(1) == 0)
    send_mail(target, &target.bell);  // bell_R1 -> bell_R2; bell_R1 <- bell_R2
}

task* take_handed(worker& w) noexcept {
  task* t = w.handed_before.get();
  if (t == nullptr) t = w.handed.take_all();
  if (t == nullptr) return nullptr;
  w.handed_before.set(t->next.get());
  // Who hands off while the bell is rung leaves it at that.
  if (w.handed_before.get() != nullptr || !w.handed.empty()) ring_own_bell(w);
  if (t->on.get() != nullptr) unbind_from(w);  // a fresh one is bound by being pinned
  return t;
}

int hand_off(task* t, worker& target) noexcept {
  worker* w = self();
  task* me = current_task(w);
  if (t == nullptr || t == me) return me != nullptr ? go_to(*w, *me, target) : -EPERM;
  WEFT_CHECK(t->fn.get() != nullptr, "weft_task_hand_off: this task was joined or detached before");
  for (const task* at = me; at != nullptr; at = at->beneath())
    if (at == t) return -EDEADLK;
  if (!t->state.claim_suspended()) return -EBUSY;
  const bool may_go = may_go_to(target, t->on.get()->home.get());
  if (!may_go || !try_bind_to(target, w)) {
    give_back_suspended(w, t);
    return may_go ? -ERANGE : -EPERM;
  }
  notes::release(t);
  put_ahead(target, t);  // last use of *t
  return 0;
}

}  // namespace weft::rt
