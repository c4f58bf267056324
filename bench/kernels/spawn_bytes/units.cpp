// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a thread that is spawned and not yet started, by any runtime whose adapter offers
// units.
#include BENCH_ADAPTER

#include <atomic>
#include <vector>

#include "config.hpp"
#include "harness/memory.hpp"

using namespace weft::bench;

namespace {

std::atomic<int64_t> started{0};

void run(void*) { started.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "bytes/task");
  const int64_t count = units_at_once(out.opt().quick ? tasks_quick : tasks_full);
  const memory_guard guard;
  in_runtime(out.opt().workers, queues::own, [&] {
    std::vector<unit> all(static_cast<size_t>(count));
    const int64_t before = resident_bytes();
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].spawn_on<run>(0, nullptr);
      guard.look(i);
    }
    const int64_t after = resident_bytes();
    out.check("units started too early", started.load(), int64_t{0});
    for (unit& u : all) u.join();
    out.check("units run", started.load(), count);
    out.add(static_cast<double>(after - before) / static_cast<double>(count));
  });
  out.note(std::string(how) + "; " + std::to_string(count) + " of them");
  return out.finish();
}
