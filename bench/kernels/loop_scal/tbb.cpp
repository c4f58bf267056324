// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest loop, by oneTBB's parallel_for over blocked ranges.
#include "harness/tbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  measure(out, [&] {
    return sample_scal(out, [](double* y, const double* x, double a, int64_t n) {
      tbb::parallel_for(tbb::blocked_range<int64_t>(0, n), [=](const auto& r) {
        for (int64_t i = r.begin(); i < r.end(); ++i) y[i] = a * x[i];
      });
    });
  });
  out.note("auto_partitioner");
  return out.finish();
}
