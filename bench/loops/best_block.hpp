// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adaptive schedule beside the best of fixed blocks: what loop_blocks and quake_dynamic sample.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr std::array<int64_t, 11> block_sizes = {5,   10,    20,    50,    100,   200,
                                                        500, 1'000, 2'000, 5'000, 10'000};

// The adaptive time over that of the best size; all take turns, the least of so many tries counts.
// Before each one an adaptive loop is run that does not count: a loop of few long blocks leaves
// workers asleep, and what follows it would pay for waking them. curve receives the times in words.
template <class Fixed, class Adaptive>
double ratio_to_best_block(int tries, Fixed fixed_seconds, Adaptive adaptive_seconds,
                           std::string& curve) {
  std::array<double, block_sizes.size()> fixed;
  fixed.fill(HUGE_VAL);
  double adaptive = HUGE_VAL;
  for (int n = 0; n < tries; ++n) {
    for (size_t k = 0; k < fixed.size(); ++k) {
      (void)adaptive_seconds();
      fixed[k] = std::min(fixed[k], fixed_seconds(block_sizes[k]));
    }
    (void)adaptive_seconds();
    adaptive = std::min(adaptive, adaptive_seconds());
  }
  curve = "ms at blocks of";
  for (size_t k = 0; k < fixed.size(); ++k)
    curve.append(" ")
        .append(std::to_string(block_sizes[k]))
        .append(": ")
        .append(figure(1e3 * fixed[k]))
        .append(",");
  curve += " adaptive: " + figure(1e3 * adaptive);
  return adaptive / *std::min_element(fixed.begin(), fixed.end());
}

}  // namespace weft::bench
