// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker with nothing to run looks for what others have: as a searcher, whom the census counts,
// so that owners share and wakers let be.
#pragma once

#include "base/attributes.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

// Whether there is anything that w would take.
WEFT_COLD bool any_work(const worker& w) noexcept;
// Of what no worker has: from outside, or with a priority.
WEFT_COLD bool any_from_outside() noexcept;

// What others have. Null: nothing, or w is not to be counted; it searches still.
WEFT_COLD task* search_others(worker& w) noexcept;

// What owners have that do not answer, for which it takes a process-wide barrier. Null: nothing, or
// it is not this worker's turn.
WEFT_COLD task* force_owners(worker& w) noexcept;

// w stops to search, if it does, because it found t, or may not. Gives t.
WEFT_COLD task* end_search(worker& w, task* t) noexcept;

// After it has found work: where that was stolen, more of the same owner's if those are short. They
// are ready tasks of w then.
void steal_more(worker& w) noexcept;

// Before it searches: one whose last task was stolen and short leaves the next ones to their owner
// for a while. What is short decides how many it steals next.
WEFT_COLD void rest_after_short_steal(worker& w) noexcept;

}  // namespace weft::rt
