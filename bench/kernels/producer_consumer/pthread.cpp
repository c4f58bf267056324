// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Producers and consumers that are threads of the operating system, with a mutex and conditions.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "config.hpp"

using namespace weft::bench;

namespace {

struct alignas(64) pair {
  std::mutex lock;
  std::condition_variable filled, emptied;
  bool full = false;
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
          std::unique_lock held(p.lock);
          p.emptied.wait(held, [&p] { return !p.full; });
          p.cell = i;
          p.full = true;
          p.filled.notify_one();
        }
      });
      threads.emplace_back([&p, items] {
        for (int64_t i = 1; i <= items; ++i) {
          std::unique_lock held(p.lock);
          p.filled.wait(held, [&p] { return p.full; });
          p.sum += p.cell;
          p.full = false;
          p.emptied.notify_one();
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
