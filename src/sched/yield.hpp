// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Yielding: behind one's own fresh children first, behind everything after that.
#pragma once

#include "sched/scheduler.hpp"

namespace weft::rt {

// See weft/task.h for the errors. Any thread.
int yield() noexcept;
int yield_to(task* t) noexcept;

}  // namespace weft::rt
