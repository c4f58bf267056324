// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member of a parallel region for each worker: made when the first of them starts, joined when
// the region is over.
#include <omp.h>

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(out.opt().workers));
  const auto round = [](std::vector<mark>& marks, int64_t n) {
    double made_ns = 0;
    const stopwatch watch;
#pragma omp parallel default(none) shared(marks, made_ns, watch) firstprivate(n)
    {
      if (omp_get_thread_num() == 0) made_ns = watch.ns();
      marks[static_cast<size_t>(omp_get_thread_num())].round = n;
    }
    return shown_us(made_ns, watch.ns());
  };
  const auto sample = [&] {
    return sample_rounds(out, out.opt().quick ? rounds_quick : rounds_full, round);
  };
  sample();
  while (out.more()) out.add(sample());
  out.note("threads are kept from one region to the next");
  return out.finish();
}
