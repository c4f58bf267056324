// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of an OpenMP team between two parallel regions.
#include "harness/openmp.hpp"

#include <atomic>

#include "idle.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "%cpu");
  std::atomic<int64_t> ran{0};
  while (out.more()) {
    ran = 0;
    in_team(out.opt().workers, [&] {
      for (int64_t i = 0; i < warm_tasks; ++i) {
#pragma omp task default(none) shared(ran)
        ran.fetch_add(1);
      }
    });
    out.check("tasks run", ran.load(), warm_tasks);
    out.add(idle_percent());
  }
  out.note("between two parallel regions");
  return out.finish();
}
