// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of any runtime whose adapter offers units, while its only one waits.
#include BENCH_ADAPTER

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "idle.hpp"

using namespace weft::bench;

namespace {

std::atomic<int64_t> ran{0};

void run(void*) { ran.fetch_add(1); }

// A thread outside watches, so that no worker is kept busy by the watching; not all runtimes can be
// woken from there, so it ends the program.
void watch(report& out) {
  out.add(idle_percent());
  out.note("all units blocked");
  const int code = out.finish();
  std::fflush(stdout);
  std::_Exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "%cpu");
  in_runtime(out.opt().workers, queues::own, [&] {
    std::vector<unit> all(static_cast<size_t>(warm_tasks));
    uint32_t worker = 0;
    for (unit& u : all) {
      u.spawn_on<run>(worker, nullptr);
      if (++worker == out.opt().workers) worker = 0;
    }
    for (unit& u : all) u.join();
    out.check("units run", ran.load(), warm_tasks);
    unit_semaphore never;
    std::thread watcher([&] { watch(out); });
    never.wait();
    watcher.join();
  });
  return out.finish();
}
