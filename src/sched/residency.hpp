// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a task may resume: here, anywhere, or on a worker it goes to.
#pragma once

#include <cstdint>

#include "sched/task.hpp"

namespace weft::rt {

// The residency that a stack has while `top` is the innermost task on it: the nearest that binds it.
uint32_t residency(const task* top) noexcept;

// See weft/task.h for the errors.
// Makes the caller sticky here, or free.
int set_sticky(bool sticky) noexcept;
// Goes on as a sticky task on another worker; no_worker: free, here.
int migrate(uint32_t target) noexcept;

}  // namespace weft::rt
