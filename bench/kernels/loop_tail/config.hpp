// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop whose iterations differ by a factor of a thousand, long ones towards the end: loop_tail.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t length_full = 20'000;
inline constexpr int64_t length_quick = 4'000;

// Steps of iteration i: a few for most, a thousand times as many for some, and more towards the
// end.
inline uint64_t steps_of(int64_t i, int64_t n) {
  const uint64_t mixed = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u >> 40;
  const uint64_t tail = mixed % 1000 == 0 ? 20'000 : mixed % 100 == 0 ? 2'000 : 20;
  return tail + static_cast<uint64_t>(i) * 400 / static_cast<uint64_t>(n);
}

// What an iteration computes: a linear congruential generator, so many steps.
inline uint64_t iterate(int64_t i, int64_t n) {
  uint64_t x = static_cast<uint64_t>(i);
  for (uint64_t left = steps_of(i, n); left != 0; --left)
    x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

class tail_loop {
 public:
  explicit tail_loop(const report& out)
      : length_(out.opt().quick ? length_quick : length_full),
        expected_(static_cast<size_t>(length_)),
        results_(static_cast<size_t>(length_)) {
    for (int64_t i = 0; i < length_; ++i) expected_[static_cast<size_t>(i)] = iterate(i, length_);
  }

  // One sample: seconds. run(n, results) is the loop.
  template <class Run>
  double sample(report& out, Run run) {
    results_.assign(results_.size(), 0);
    const stopwatch watch;
    run(length_, results_.data());
    const double s = watch.seconds();
    int64_t wrong = 0;
    for (size_t i = 0; i < results_.size(); ++i) wrong += results_[i] == expected_[i] ? 0 : 1;
    out.check("wrong results", wrong, int64_t{0});
    return s;
  }

 private:
  int64_t length_;
  std::vector<uint64_t> expected_;
  std::vector<uint64_t> results_;
};

}  // namespace weft::bench
