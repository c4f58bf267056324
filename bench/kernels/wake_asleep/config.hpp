// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads wake each other in turn, each asleep in the kernel by then: how long from before the
// wake to the other's first instruction. Whose turn it is works until the other sleeps.
#pragma once

#include <chrono>
#include <cstdint>
#include <sys/resource.h>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t turns_full = 4'000;  // by both together
inline constexpr int64_t turns_quick = 1'000;
inline constexpr std::chrono::microseconds until_asleep{100};

// Written by the one whose turn it is.
class turns {
 public:
  void first() { posted_ = now(); }
  // Taken by who was woken, before it wakes the other.
  void take(int64_t me) {
    const auto woken = now();
    latencies_.push_back(std::chrono::duration<double, std::nano>(woken - posted_).count());
    out_of_turn_ += taken_ % 2 != me;
    ++taken_;
    while (now() - woken < until_asleep) {
    }
    posted_ = now();
  }
  // Checks the turns and gives the median.
  double finish(report& out, int64_t total) const {
    out.check("turns", taken_, total);
    out.check("turns out of turn", out_of_turn_, int64_t{0});
    const int64_t slept = sleeps() - slept_before_;
    out.check("whether at least half were asleep", slept >= total / 2, true);
    return median(latencies_);
  }

 private:
  static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
  // How often a thread of this process has left its processor of its own accord.
  static int64_t sleeps() {
    rusage used = {};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_nvcsw;
  }

  int64_t slept_before_ = sleeps();
  std::chrono::steady_clock::time_point posted_;
  std::vector<double> latencies_;
  int64_t taken_ = 0;
  int64_t out_of_turn_ = 0;
};

}  // namespace weft::bench
