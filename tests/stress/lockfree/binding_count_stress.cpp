// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bindings begin and end on real threads: none is forgotten, and at the end none is left.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "lockfree/binding_count.hpp"

namespace {

TEST(BindingCount, says_none_only_when_none_is_left) {
  constexpr uint32_t binders = 3;
  constexpr int rounds = 50'000;
  weft::rt::binding_count bound;
  std::vector<int> done(binders, 0);  // plain: a thread sanitizer checks what an end publishes
  std::atomic<uint32_t> over{0};
  bound.begin(0);  // ends last
  std::vector<std::thread> threads;
  for (uint32_t by = 0; by < binders; ++by)
    threads.emplace_back([&, by] {
      for (int i = 0; i < rounds; ++i) {
        bound.begin(by);
        done[by] = i + 1;
        bound.end();
      }
      if (over.fetch_add(1, std::memory_order_relaxed) == binders - 1) bound.end();
    });
  uint64_t asked = 0;
  for (; bound.any(); ++asked) std::this_thread::yield();
  for (const int n : done) EXPECT_EQ(n, rounds) << "after " << asked << " questions";
  for (std::thread& t : threads) t.join();
}

}  // namespace
