// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fixed sizes of blocks against the adaptive schedule: loop_blocks_1ns, _10ns, _100ns and _1us, by
// what an iteration takes, about. The sample is the adaptive time over that of the best fixed size.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

// Steps of a multiplication that waits for the one before; those of neighbours overlap. A loop of a
// few is unrolled: how well a processor guesses its end is luck, and the best of many sizes has it.
// 0: a plain store.
inline constexpr uint64_t body_steps = kernel_name == "loop_blocks_1ns"     ? 0
                                       : kernel_name == "loop_blocks_10ns"  ? 30
                                       : kernel_name == "loop_blocks_100ns" ? 120
                                                                            : 800;
// Iterations of a loop, so that each takes some milliseconds.
inline constexpr int64_t length = body_steps == 0    ? 2'000'000
                                  : body_steps < 100 ? 200'000
                                  : body_steps < 200 ? 20'000
                                                     : 4'000;
inline constexpr int pairs_full = 5;  // of tries of each size, in turn
inline constexpr int pairs_quick = 1;

inline uint64_t iterate(uint64_t i) {
  uint64_t x = i;
#pragma GCC unroll 32
  for (uint64_t left = body_steps; left != 0; --left) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm("" : "+r"(x));  // one after the other
  }
  return x;
}

}  // namespace weft::bench
