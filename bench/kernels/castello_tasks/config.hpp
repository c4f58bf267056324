// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scal, x = a x, with a task for each of 1,000 elements: all made by one thread (castello_fig11),
// or each worker making its share of them (castello_fig12).
//
// Castelló et al., "Analysis of Threading Libraries for High Performance Computing", IEEE
// Transactions on Computers 69(9), 2020, Fig. 11 and 12.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t elements = 1'000;
inline constexpr int64_t rounds_full = 400;
inline constexpr int64_t rounds_quick = 100;
inline constexpr int64_t os_rounds_full = 20;
inline constexpr int64_t os_rounds_quick = 4;
// A sample ends early where workers that spin share processors, and each round takes them many ms.
inline constexpr double longest_sample_s = 0.5;

// Factors that undo each other: after two rounds all elements are what they were.
inline constexpr double factors[2] = {3.0, 1.0 / 3.0};

inline constexpr bool one_maker = kernel_name == "castello_fig11";

// The first element of worker w of n.
constexpr int64_t share_begin(int64_t w, int64_t n) { return elements * w / n; }

// One sample: us a round. round(x, a) multiplies each element by a.
template <class Round>
double sample_scal(report& out, int64_t rounds, Round round) {
  std::vector<double> x(static_cast<size_t>(elements));
  for (int64_t i = 0; i < elements; ++i) x[static_cast<size_t>(i)] = static_cast<double>(i + 1);
  std::vector<double> expected = x;
  double ns = 0;
  int64_t wrong = 0;
  int64_t n = 0;
  for (const stopwatch age; n < rounds && age.seconds() < longest_sample_s; ++n) {
    const double a = factors[n % 2];
    const stopwatch watch;
    round(x.data(), a);
    ns += watch.ns();
    for (size_t i = 0; i < x.size(); ++i) {
      expected[i] *= a;
      wrong += x[i] == expected[i] ? 0 : 1;
    }
  }
  out.check("wrong elements", wrong, int64_t{0});
  return ns * 1e-3 / static_cast<double>(n);
}

}  // namespace weft::bench
