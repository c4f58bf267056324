// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest loop, by weft::par::loop.
#include "harness/weft.hpp"

#include <weft/par.hpp>

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  measure_both(out, [&] {
    return sample_scal(out, [](double* y, const double* x, double a, int64_t n) {
      weft::par::loop(int64_t{0}, n, [=](int64_t i) { y[i] = a * x[i]; });
    });
  });
  return out.finish();
}
