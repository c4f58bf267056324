// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the workers of a runtime are to share their work, where a runtime has more than one way, and
// on how much stack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace weft::bench {

enum class queues {
  own,    // the kernel says which worker runs what: a queue each, nothing is stolen
  stolen  // units are made anywhere, an idle worker looks for them everywhere
};

// Of each unit, for the kernels that set it before in_runtime; 0: as the runtime has it.
inline size_t unit_stack_bytes = 0;

// How many units there can be at once, of a number that a kernel wants.
#ifndef BENCH_MOST_UNITS
#define BENCH_MOST_UNITS INT64_MAX
#endif
constexpr int64_t units_at_once(int64_t wanted) {
  return std::min<int64_t>(wanted, BENCH_MOST_UNITS);
}

}  // namespace weft::bench
