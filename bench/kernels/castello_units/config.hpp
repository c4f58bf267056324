// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One work unit for each worker: what it costs to make them (castello_fig8), to join them
// (castello_fig9), and both together (castello_fig1).
//
// Castelló et al., "Analysis of Threading Libraries for High Performance Computing", IEEE
// Transactions on Computers 69(9), 2020, Fig. 1, 8 and 9: one thread makes as many units as there
// are workers, then joins them.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t rounds_full = 20'000;
inline constexpr int64_t rounds_quick = 2'000;
inline constexpr int64_t os_rounds_full = 1'000;
inline constexpr int64_t os_rounds_quick = 100;
// A sample ends early where workers that spin share processors, and each round takes them many ms.
inline constexpr double longest_sample_s = 0.5;

// What the units write, so that one that never ran is noticed; a line each.
struct alignas(64) mark {
  int64_t round = 0;
};

// What the paper's figure shows, of one round: the first watch until all are made, the second until
// all are joined.
inline double shown_us(double made_ns, double all_ns) {
  const double ns = kernel_name == "castello_fig8"   ? made_ns
                    : kernel_name == "castello_fig9" ? all_ns - made_ns
                                                     : all_ns;
  return ns * 1e-3;
}

// One sample: us a round. round(marks, n) runs one, in which each unit sets its mark to n, and
// gives shown_us.
template <class Round>
double sample_rounds(report& out, int64_t rounds, Round round) {
  static std::vector<mark> marks(out.opt().workers);
  double us = 0;
  int64_t wrong = 0;
  int64_t n = 0;
  for (const stopwatch age; n < rounds && age.seconds() < longest_sample_s;) {
    us += round(marks, ++n);
    for (const mark& m : marks) wrong += m.round == n ? 0 : 1;
  }
  out.check("units that did not run", wrong, int64_t{0});
  return us / static_cast<double>(n);
}

}  // namespace weft::bench
