// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest loop, by OpenMP's parallel for with its static schedule, which is the best for it.
#include <omp.h>

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(out.opt().workers));
  const auto sample = [&] {
    return sample_scal(out, [](double* y, const double* x, double a, int64_t n) {
#pragma omp parallel for schedule(static)
      for (int64_t i = 0; i < n; ++i) y[i] = a * x[i];
    });
  };
  sample();
  while (out.more()) out.add(sample());
  out.note("parallel for, static");
  return out.finish();
}
