// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suspend and resume; the permit is in task_state.hpp.
#include "sched/suspend.hpp"

#include <cerrno>

#include "base/check.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"
#include "sched/waiting.hpp"

namespace weft::rt {

namespace {

void announce_suspended(worker& w, task* me, void*) noexcept {
  if (!me->state.announce_suspended()) requeue(w, me);
}

}  // namespace

int suspend(void* site) noexcept {
  worker* w = self();
  task* me = current_task(w);
  if (me == nullptr) return -EPERM;
  if (me->has(flag_stackless)) return refuse_to_block("weft_task_suspend", *me);
  if (me->state.take_permit()) return 0;
  const task_waits shown(*w, *me, "weft_task_resume of task", me, site);
  return park(*w, nullptr, announce_suspended, nullptr);
}

void give_back_suspended(worker* w, task* t) noexcept {
  if (!t->state.announce_suspended()) make_ready(w, t);
}

bool claim_suspended(worker& w, task* t) noexcept {
  // First: one that is not claimed may be resumed meanwhile, and its stack be gone.
  if (!t->state.claim_suspended()) return false;
  if (may_run_on(w, t->on.get()->home.get())) return true;
  give_back_suspended(&w, t);
  return false;
}

int resume_task(task* t) noexcept {
  if (t == nullptr) return -EINVAL;
  worker* w = self();
  if (w == nullptr && !running()) return -ENOTCONN;
  WEFT_CHECK(t->fn.get() != nullptr, "weft_task_resume: this task was joined or detached before");
  if (t->join.is_done()) return -ESRCH;
  for (const task* at = current_task(w); at != nullptr; at = at->beneath())
    if (at == t && at != w->current.get()) return -EDEADLK;
  if (t->state.resume() == resume_result::woken) make_ready(w, t);
  return 0;
}

}  // namespace weft::rt
