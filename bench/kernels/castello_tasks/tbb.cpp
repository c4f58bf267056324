// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A oneTBB task for each of 1,000 elements: all run by one task group, or by one group in each of
// as many tasks as there are workers.
#include "harness/tbb.hpp"

#include <tbb/task_group.h>

#include "config.hpp"

using namespace weft::bench;

namespace {

void scale(double* x, double a, int64_t first, int64_t last) {
  tbb::task_group group;
  for (int64_t i = first; i < last; ++i) group.run([x, a, i] { x[i] *= a; });
  group.wait();
}

void scale_by_all(double* x, double a, int64_t workers) {
  tbb::task_group group;
  for (int64_t w = 0; w < workers; ++w)
    group.run([=] { scale(x, a, share_begin(w, workers), share_begin(w + 1, workers)); });
  group.wait();
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  const int64_t workers = out.opt().workers;
  measure(out, [&] {
    return sample_scal(out, out.opt().quick ? rounds_quick : rounds_full, [&](double* x, double a) {
      if (one_maker) return scale(x, a, 0, elements);
      scale_by_all(x, a, workers);
    });
  });
  return out.finish();
}
