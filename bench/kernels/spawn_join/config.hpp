// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many spawns, then as many joins, repeated: spawn_join_1k and spawn_join_100k.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t spawn_join_1k = 1'000;
inline constexpr int64_t spawn_join_100k = 100'000;

// Threads in one sample; those of the operating system cost a thousand times more.
inline constexpr int64_t total_full = 2'000'000;
inline constexpr int64_t total_quick = 400'000;
inline constexpr int64_t os_total_full = 20'000;
inline constexpr int64_t os_total_quick = 4'000;

inline constexpr int64_t batch = kernel_name == "spawn_join_1k" ? spawn_join_1k : spawn_join_100k;

// What the threads write: each its own number, so that a thread that never ran is noticed.
class answers {
 public:
  int64_t* slot(int64_t i) { return &slots_[static_cast<size_t>(i)]; }

  // Checks one batch and forgets it.
  void check(report& out) {
    int64_t sum = 0;
    for (int64_t i = 0; i < batch; ++i) {
      sum += *slot(i);
      *slot(i) = -1;
    }
    out.check("sum", sum, batch * (batch + 1) / 2);
  }

 private:
  std::vector<int64_t> slots_ = std::vector<int64_t>(static_cast<size_t>(batch), -1);
};

// One sample: ns per thread over as many batches as make the total; check is not timed.
template <class Batch>
double sample_batches(report& out, answers& results, int64_t total, Batch run_batch) {
  double ns = 0;
  for (int64_t done = 0; done < total; done += batch) {
    const stopwatch watch;
    run_batch();
    ns += watch.ns();
    results.check(out);
  }
  return ns / static_cast<double>(total);
}

}  // namespace weft::bench
