// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Producers and consumers that are threads of the operating system, with two semaphores of the C
// library between them.
#include <thread>
#include <vector>

#include "config.hpp"
#include "harness/pthread_gate.hpp"

using namespace weft::bench;

namespace {

struct alignas(64) pair {
  pthread_gate filled;
  pthread_gate emptied{1};
  int64_t cell = 0;
  int64_t sum = 0;
};

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t items = items_quick;  // a hundred times as slow
  while (out.more()) {
    pair all[pairs];
    std::vector<std::thread> threads;
    const stopwatch watch;
    for (pair& p : all) {
      threads.emplace_back([&p, items] {
        for (int64_t i = 1; i <= items; ++i) {
          p.emptied.wait();
          p.cell = i;
          p.filled.post();
        }
      });
      threads.emplace_back([&p, items] {
        for (int64_t i = 1; i <= items; ++i) {
          p.filled.wait();
          p.sum += p.cell;
          p.emptied.post();
        }
      });
    }
    for (std::thread& t : threads) t.join();
    out.add(watch.ns() / static_cast<double>(items * pairs));
    for (const pair& p : all) out.check("sum", p.sum, items * (items + 1) / 2);
  }
  out.note("the system schedules them on the processors allowed");
  return out.finish();
}
