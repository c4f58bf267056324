// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop in a loop, both parallel: 1,000 times 1,000 elements of which each gets one more.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t rows_full = 1'000;
inline constexpr int64_t rows_quick = 200;
inline constexpr int64_t columns = 1'000;

class grid {
 public:
  explicit grid(const report& out)
      : rows_(out.opt().quick ? rows_quick : rows_full),
        cells_(static_cast<size_t>(rows_ * columns), 0) {}

  // One sample: seconds. run(rows, cells) is the loop.
  template <class Run>
  double sample(report& out, Run run) {
    const stopwatch watch;
    run(rows_, cells_.data());
    const double s = watch.seconds();
    ++times_;
    int64_t wrong = 0;
    for (const int64_t cell : cells_) wrong += cell == times_ ? 0 : 1;
    out.check("wrong cells", wrong, int64_t{0});
    return s;
  }

 private:
  int64_t rows_;
  std::vector<int64_t> cells_;
  int64_t times_ = 0;
};

}  // namespace weft::bench
