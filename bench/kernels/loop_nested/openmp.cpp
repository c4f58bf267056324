// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop in a loop, by OpenMP with nested regions, each of as many threads as there are workers.
#include "harness/openmp.hpp"

#include <omp.h>

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  allow_nesting();
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(out.opt().workers));
  grid g(out);
  const auto sample = [&] {
    return g.sample(out, [](int64_t rows, int64_t* cells) {
#pragma omp parallel for schedule(dynamic)
      for (int64_t i = 0; i < rows; ++i) {
        int64_t* const row = cells + i * columns;
#pragma omp parallel for
        for (int64_t k = 0; k < columns; ++k) ++row[k];
      }
    });
  };
  sample();
  while (out.more()) out.add(sample());
  out.note("two active levels");
  return out.finish();
}
