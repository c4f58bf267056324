// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many spawns, then one wait for all, of OpenMP tasks.
#include "harness/openmp.hpp"

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? total_quick : total_full;
  answers results;
  measure(out, [&] {
    return sample_batches(out, results, total, [&] {
      for (int64_t i = 0; i < batch; ++i) {
        int64_t* const slot = results.slot(i);
#pragma omp task default(none) firstprivate(slot, i)
        *slot = i + 1;
      }
#pragma omp taskwait
    });
  });
#ifdef KMP_VERSION_MAJOR  // of LLVM's and Intel's
  out.note("beyond 256 tasks in its queue, a thread runs a task where it is spawned");
#else
  out.note("beyond 64 tasks a thread, libgomp runs a task where it is spawned");
#endif
  return out.finish();
}
