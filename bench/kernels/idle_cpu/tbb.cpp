// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of oneTBB between two uses of its arena.
#include "harness/tbb.hpp"

#include <atomic>
#include <tbb/task_group.h>

#include "idle.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "%cpu");
  std::atomic<int64_t> ran{0};
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, out.opt().workers);
  tbb::task_arena arena(static_cast<int>(out.opt().workers));
  while (out.more()) {
    ran = 0;
    arena.execute([&] {
      tbb::task_group group;
      for (int64_t i = 0; i < warm_tasks; ++i) group.run([&] { ran.fetch_add(1); });
      group.wait();
    });
    out.check("tasks run", ran.load(), warm_tasks);
    out.add(idle_percent());
  }
  out.note("outside the arena");
  return out.finish();
}
