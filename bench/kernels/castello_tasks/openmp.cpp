// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An OpenMP task for each of 1,000 elements: in a single construct, or in a worksharing loop of a
// region.
#include <omp.h>

#include "config.hpp"

using namespace weft::bench;

namespace {

void scale_by_one(double* x, double a) {
#pragma omp parallel default(none) firstprivate(x, a)
#pragma omp single
  for (int64_t i = 0; i < elements; ++i) {
#pragma omp task default(none) firstprivate(x, a, i)
    x[i] *= a;
  }
}

void scale_by_all(double* x, double a) {
#pragma omp parallel for schedule(static) default(none) firstprivate(x, a)
  for (int64_t i = 0; i < elements; ++i) {
#pragma omp task default(none) firstprivate(x, a, i)
    x[i] *= a;
  }
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(out.opt().workers));
  const auto sample = [&] {
    return sample_scal(out, out.opt().quick ? rounds_quick : rounds_full,
                       one_maker ? scale_by_one : scale_by_all);
  };
  sample();
  while (out.more()) out.add(sample());
  out.note("the parallel region is in the time");
  return out.finish();
}
