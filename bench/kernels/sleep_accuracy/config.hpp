// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much later than asked for a sleep ends, on a machine that has nothing else to do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t sleeps_full = 500;
inline constexpr int64_t sleeps_quick = 100;
inline constexpr int64_t sleep_ns = 1'000'000;

// The median lateness of `sleeps` sleeps in microseconds. sleep_until(deadline_ns); now() in
// nanoseconds.
template <class Now, class Sleep>
double lateness_us(report& out, int64_t sleeps, Now now, Sleep sleep_until) {
  std::vector<double> late;
  int64_t early = 0;
  for (int64_t i = 0; i < sleeps; ++i) {
    const int64_t deadline_ns = now() + sleep_ns;
    sleep_until(deadline_ns);
    const int64_t by_ns = now() - deadline_ns;
    early += by_ns < 0;
    late.push_back(static_cast<double>(by_ns) * 1e-3);
  }
  out.check("sleeps that ended early", early, int64_t{0});
  return median(late);
}

}  // namespace weft::bench
