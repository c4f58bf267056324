// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest loop, by one thread.
#include "harness/serial.hpp"

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  measure(out, [&] {
    return sample_scal(out, [](double* y, const double* x, double a, int64_t n) {
      for (int64_t i = 0; i < n; ++i) y[i] = a * x[i];
    });
  });
  return out.finish();
}
