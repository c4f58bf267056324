// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest loop, by oneTBB's parallel_for over blocked ranges: the best of its partitioners
// counts.
#include "loops/tbb.hpp"

#include "config.hpp"
#include "loops/measure.hpp"

using namespace weft::bench;

namespace {

struct scal {
  static double sample(report& out, loops& by) {
    return sample_scal(out, [&by](double* y, const double* x, double a, int64_t n) {
      by.each(n, [=](int64_t i) { y[i] = a * x[i]; });
    });
  }
};

}  // namespace

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "ns/op", [](const report&) { return scal(); });
}
