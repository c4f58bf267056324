// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter under a mutex, by any runtime whose adapter offers units and mutexes.
#include BENCH_ADAPTER

#include "config.hpp"

using namespace weft::bench;

namespace {

struct counter {
  unit_mutex guard;
  int64_t per_thread = 0;
  int64_t count = 0;
};

void count(void* arg) {
  counter& c = *static_cast<counter*>(arg);
  for (int64_t i = 0; i < c.per_thread; ++i) {
    c.guard.lock();
    c.count = c.count + 1;
    c.guard.unlock();
  }
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? locks_quick : locks_full;
  const auto sample = [&] {
    counter c;
    c.per_thread = total / threads;
    unit units[threads];
    const stopwatch watch;
    for (int64_t i = 0; i < threads; ++i)
      units[i].spawn_on<count>(static_cast<uint32_t>(i) % out.opt().workers, &c);
    for (unit& u : units) u.join();
    const double ns = watch.ns() / static_cast<double>(total);
    out.check("count", c.count, total);
    return ns;
  };
  measure(out, sample, queues::own);
  return out.finish();
}
