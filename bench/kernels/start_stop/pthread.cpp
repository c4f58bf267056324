// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bare threads: one for each worker, made and joined. A start of Weft makes one fewer, as main
// is a worker; but then with one worker there would be nothing to compare with.
#include <atomic>
#include <pthread.h>
#include <vector>

#include "config.hpp"
#include "harness/small_stacks.hpp"

using namespace weft::bench;

namespace {

std::atomic<int> ran{0};

void* counts(void*) {
  ran.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  const int count = out.opt().quick ? starts_quick : starts_full;
  std::vector<pthread_t> threads(out.opt().workers);
  use_small_stacks();
  while (out.more()) {
    ran = 0;
    const stopwatch watch;
    for (int i = 0; i < count; ++i) {
      for (pthread_t& thread : threads) {
        if (pthread_create(&thread, nullptr, counts, nullptr) != 0) die("pthread_create failed");
      }
      for (const pthread_t thread : threads) pthread_join(thread, nullptr);
    }
    out.add(watch.ns() / 1000 / count);
    out.check("runs", ran.load(), count * static_cast<int>(out.opt().workers));
  }
  return out.finish();
}
