// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose iterations are reduced to one value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "par/loop.hpp"

namespace weft::rt {

struct reduction {
  std::size_t value_bytes = 0;
  const void* identity = nullptr;
  void (*reduce)(void* into, const void* value) = nullptr;
  // Pieces by the loop's length alone, reduced in the order of their iterations: the operator need
  // not commute, and the result does not depend on who ran what.
  bool in_order = false;
  // Reduces the iterations first to last - 1 into *into, in their order.
  void (*add)(uint64_t first, uint64_t last, void* into, void* argument) = nullptr;
  void* argument = nullptr;
};

// Of the plan, run and argument do not count. Writes the result, of what was run. 0; -ECANCELED:
// some iterations were left out; -ENOMEM: nothing was run, and the result is as it was. The caller
// is a task.
[[nodiscard]] int run_reduction(loop_plan plan, const reduction& how, void* result) noexcept;

}  // namespace weft::rt
