// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker with nothing to do: search, watch its own line, sleep.
#pragma once

#include "base/attributes.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

// Searches, then watches and sleeps until there is something. Null: the worker shall stop.
WEFT_COLD task* find_work(worker& w) noexcept;

// Up to 50 us of sleep for a task that yields and yields while nothing is runnable; any wake ends it.
WEFT_COLD void nap(worker& w) noexcept;

}  // namespace weft::rt
