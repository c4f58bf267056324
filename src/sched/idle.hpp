// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker with nothing to do: idle, it watches its own line, then sleeps.
#pragma once

#include "base/attributes.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

// Searches, then watches and sleeps until there is something. Null: the worker shall stop.
WEFT_COLD task* find_work(worker& w) noexcept;

// For a task that yields and yields while nothing is open to it: runs timers that are due, and in
// the long run takes what an owner that does not answer hides. Null: there was nothing, and where
// w.poll allows it the worker has slept up to 50 us, until any wake.
WEFT_COLD task* look_beyond(worker& w) noexcept;

}  // namespace weft::rt
