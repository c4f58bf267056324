// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lock between a stop and those who are no workers.
#include "sched/ending.hpp"

#include <memory>

namespace weft::rt {

constinit std::mutex ending_lock;

void forget_ending_lock() noexcept { std::construct_at(&ending_lock); }

}  // namespace weft::rt
