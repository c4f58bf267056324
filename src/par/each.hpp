// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task for each iteration of a loop.
#pragma once

#include <cstdint>

#include "par/loop.hpp"

namespace weft::rt {

// Runs body(i, argument) once for each iteration of the plan, each in a task of its own, so that
// any of them may wait for any other, and waits for all. Of the plan only count, members (1: no
// tasks, one after the other), cancel and site count. 0, or -ECANCELED: some were left out. The
// caller is a task.
[[nodiscard]] int run_each(const loop_plan& plan, void (*body)(uint64_t i, void* argument),
                           void* argument) noexcept;

}  // namespace weft::rt
