// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y[i] = a * x[i], a loop of the cheapest body: loop_scal_1k, loop_scal_10k and loop_scal_1m.
#pragma once

#include <cstdint>

#include "harness/placed_array.hpp"
#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t loop_length = kernel_name == "loop_scal_1k"    ? 1'000
                                       : kernel_name == "loop_scal_10k" ? 10'000
                                                                        : 1'000'000;
// Iterations in one sample.
inline constexpr int64_t total_full = 40'000'000;
inline constexpr int64_t total_quick = 8'000'000;
// A sample ends early where workers that spin share processors, and each loop takes them many ms.
inline constexpr int64_t longest_sample_ms = 500;
inline constexpr int64_t look_every = 16;  // loops between two looks at the clock

// One sample: ns a loop, of as many as make the total. run(y, x, a, n) is one loop.
template <class Run>
double sample_scal(report& out, Run run) {
  static placed_array<double> x(static_cast<size_t>(loop_length), 0, 1.0);
  static placed_array<double> y(static_cast<size_t>(loop_length), 1, 0.0);
  const int64_t loops = (out.opt().quick ? total_quick : total_full) / loop_length;
  constexpr double longest_ns = longest_sample_ms * 1e6;
  const stopwatch watch;
  int64_t n = 0;
  while (n < loops && (n % look_every != 0 || watch.ns() < longest_ns)) {
    run(y.data(), x.data(), static_cast<double>(++n), loop_length);
    asm volatile("" ::: "memory");  // the next loop may not replace this one
  }
  const double ns = watch.ns() / static_cast<double>(n);
  int64_t wrong = 0;
  for (const double value : y) wrong += value == static_cast<double>(n) ? 0 : 1;
  out.check("wrong elements", wrong, int64_t{0});
  return ns;
}

}  // namespace weft::bench
