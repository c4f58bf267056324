// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads wake each other in turn: each posts the other's semaphore and waits for its own. They
// run where the runtime likes, or, under the name that says so, each on a worker of its own, which
// watches for the wake.
#pragma once

#include <cstdint>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr bool apart = kernel_name == "block_wake_apart";

inline constexpr int64_t turns_full = 1'000'000;  // by both together
inline constexpr int64_t turns_quick = 100'000;

// How often it was whose turn; written by the one whose turn it is.
struct turns {
  int64_t taken = 0;
  int64_t out_of_turn = 0;

  void take(int64_t me) {
    out_of_turn += taken % 2 != me;
    taken = taken + 1;
  }
};

}  // namespace weft::bench
