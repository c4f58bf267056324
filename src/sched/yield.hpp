// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Yielding: behind one's own fresh children first, behind everything after that.
#pragma once

#include "sched/scheduler.hpp"

namespace weft::rt {

// See weft/task.h for the errors. Any thread.
int yield() noexcept;
int yield_to(task* t) noexcept;

// Makes the caller sticky here, or free.
int set_sticky(bool sticky) noexcept;
// Goes on as a sticky task on another worker; no_worker: free, here.
int migrate(uint32_t target) noexcept;

}  // namespace weft::rt
