// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a oneTBB task that is spawned and not yet started.
#include "harness/tbb.hpp"

#include <atomic>
#include <tbb/task_group.h>

#include "config.hpp"
#include "harness/memory.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "bytes/task");
  const int64_t count = out.opt().quick ? tasks_quick : tasks_full;
  in_arena(out.opt().workers, [&] {
    std::atomic<int64_t> started{0};
    tbb::task_group group;
    const int64_t before = resident_bytes();
    for (int64_t i = 0; i < count; ++i) {
      group.run([&started] { started.fetch_add(1, std::memory_order_relaxed); });
    }
    const int64_t after = resident_bytes();
    out.check("tasks started too early", started.load(), int64_t{0});
    group.wait();
    out.check("tasks run", started.load(), count);
    out.add(static_cast<double>(after - before) / static_cast<double>(count));
  });
  out.note("in an arena");
  return out.finish();
}
