// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suspend and resume: one permit per task, so that a resume that comes first is not lost.
#pragma once

#include "sched/scheduler.hpp"

namespace weft::rt {

int suspend(void* site) noexcept;
int resume_task(task* t) noexcept;

// Takes a suspended task that may run on w out of its suspension; the caller resumes it. False: not
// suspended, or bound elsewhere.
bool claim_suspended(worker& w, task* t) noexcept;
// One that the caller has taken out of its suspension goes on with that, or goes on if it was
// resumed meanwhile. w: the calling worker or null.
void give_back_suspended(worker* w, task* t) noexcept;

}  // namespace weft::rt
