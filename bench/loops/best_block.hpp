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

// The adaptive time over that of the best size; all take turns. Every second try finds the best,
// the others measure it: the least of so many sizes that do not differ is the luckiest, not the
// best. Least figures of as many tries each. Before each one an adaptive loop is run that does not
// count: a loop of few long blocks leaves workers asleep, and what follows it would pay for waking
// them. curve receives the times of all sizes in words.
template <class Fixed, class Adaptive>
double ratio_to_best_block(int pairs_of_tries, Fixed fixed_seconds, Adaptive adaptive_seconds,
                           std::string& curve) {
  using times = std::array<double, block_sizes.size()>;
  times found;
  times measured;
  found.fill(HUGE_VAL);
  measured.fill(HUGE_VAL);
  double adaptive = HUGE_VAL;
  for (int n = 0; n < 2 * pairs_of_tries; ++n) {
    times& fixed = n % 2 == 0 ? found : measured;
    for (size_t k = 0; k < fixed.size(); ++k) {
      (void)adaptive_seconds();
      fixed[k] = std::min(fixed[k], fixed_seconds(block_sizes[k]));
    }
    if (n % 2 == 0) continue;
    (void)adaptive_seconds();
    adaptive = std::min(adaptive, adaptive_seconds());
  }
  const auto best =
      static_cast<size_t>(std::min_element(found.begin(), found.end()) - found.begin());
  curve = "ms at blocks of";
  for (size_t k = 0; k < measured.size(); ++k)
    curve.append(" ")
        .append(std::to_string(block_sizes[k]))
        .append(": ")
        .append(figure(1e3 * measured[k]))
        .append(",");
  curve += " best: " + std::to_string(block_sizes[best]) + ", adaptive: " + figure(1e3 * adaptive);
  return adaptive / measured[best];
}

}  // namespace weft::bench
