// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Yielding: behind one's own fresh children first, behind everything after that.
#pragma once

#include "sched/scheduler.hpp"

namespace weft::rt {

// See weft/task.h for the errors. Any thread.
int yield() noexcept;
int yield_to(task* t) noexcept;

// The current task of w goes on when the newest fresh task there, and what that spawns, has been
// taken. 0, or -ENOMEM: no stack; nothing happened. May return on another worker.
[[nodiscard]] int give_way_to_newest(worker& w) noexcept;

}  // namespace weft::rt
