// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Homogeneous task spawn by OpenMP tasks.
#include "harness/openmp.hpp"

#include "workload.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "us/op");
  spawn_loop loop(out);
  measure(out, [&] {
    return loop.sample(out, [&] {
      for (int64_t i = 0; i < loop.tasks(); ++i) {
#pragma omp task default(none) shared(loop) firstprivate(i)
        loop.work(i);
      }
#pragma omp taskwait
    });
  });
  loop.note(out);
  return out.finish();
}
