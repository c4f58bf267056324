// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which flow this is: for locks that know their owner.
#pragma once

#include <cstdint>

#include "os/process.hpp"
#include "sched/outside.hpp"
#include "sched/self.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

// Never 0, and different for any two flows that exist at the same time. A task called inline is not
// its joiner. A thread of the program is the same flow before it became a worker's, as that, and
// afterwards.
inline uintptr_t this_flow() noexcept {
  if (const task* t = this_task(); t != nullptr && !t->has(flag_main))
    return reinterpret_cast<uintptr_t>(t);
  // Descriptors are aligned, so an odd number is no task.
  return (uintptr_t)os::this_thread() | 1;  // an integer or a pointer, as the C library likes
}

}  // namespace weft::rt
