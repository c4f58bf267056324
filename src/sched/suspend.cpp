// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suspend and resume.
//
// task.permit
//   none       nobody resumed the task since its last suspend     set by suspend, resume of a suspended
//   given      the next suspend returns at once                    set by resume
//   suspended  the task is parked; who sets none owns the wake     set on the next stack, after the switch
//
// Orders
//   S1 -> S2   the suspender's saved state is published to whoever resumes it
//   R1 -> R2   a resume that came first publishes what preceded it to the suspend that returns
#include "sched/suspend.hpp"

#include <cerrno>

#include "base/check.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"

namespace weft::rt {

namespace {

enum permit : uint32_t { none, given, suspended };

void announce_suspended(worker& w, task* me, void*) noexcept {
  uint32_t seen = none;
  if (me->permit.cas_acq_rel(seen, suspended)) return;  // S1 -> S2, R2 <- R1
  me->permit.store_relaxed(none);                       // own: given, and resume leaves it so
  requeue(w, me);
}

}  // namespace

int suspend() noexcept {
  worker* w = self();
  task* me = w != nullptr ? w->current.get() : nullptr;
  if (me == nullptr) return -EPERM;
  if (me->has(flag_stackless)) return refuse_to_block("weft_task_suspend", *me);
  uint32_t seen = given;
  if (me->permit.cas_acq_rel(seen, none)) {  // R2 <- R1, S1 -> S2
    notes::acquire(&me->permit);
    return 0;
  }
  return park(*w, nullptr, announce_suspended, nullptr);
}

bool claim_suspended(worker& w, task* t) noexcept {
  uint32_t seen = t->permit.load_acquire();  // S2 <- S1
  if (seen != suspended) return false;
  const uint32_t home = t->on.get()->home.get();
  if (home != no_worker && home != w.index) return false;
  return t->permit.cas_acq_rel(seen, none);  // S2 <- S1, R1 -> R2
}

int resume_task(task* t) noexcept {
  if (t == nullptr) return -EINVAL;
  WEFT_CHECK(t->fn.get() != nullptr, "weft_task_resume: this task was joined or detached before");
  if (t->join.is_done()) return -ESRCH;
  worker* w = self();
  for (const task* at = w != nullptr ? w->current.get() : nullptr; at != nullptr; at = at->beneath())
    if (at == t && at != w->current.get()) return -EDEADLK;
  notes::release(&t->permit);
  uint32_t seen = none;
  for (;;) {
    if (seen == suspended) {
      if (!t->permit.cas_acq_rel(seen, none)) continue;  // S2 <- S1, R1 -> R2
      make_ready(w, t);
      return 0;
    }
    if (seen == given) return 0;
    if (t->permit.cas_acq_rel(seen, given)) return 0;  // R1 -> R2, S2 <- S1
  }
}

}  // namespace weft::rt
