// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that nap and hand work to each other are never taken for quiescent before the last has
// ended, and are then.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "lockfree/quiescence.hpp"
#include "threads.hpp"

namespace {

constexpr int workers = 3;
constexpr int naps_each = 20'000;

struct shared {
  std::atomic<int> idle{0};
  weft::rt::rise_count risen[workers];
  weft::rt::nap_count naps;
  std::atomic<int> running{workers};

  std::uint64_t rises() const {
    std::uint64_t sum = 0;
    for (const auto& r : risen) sum += r.read();
    return sum;
  }
  bool at_rest() const { return idle.load(std::memory_order_relaxed) == workers; }
  bool nap() const { return naps.any(); }
  static bool holds_none() { return true; }
};

TEST(Quiescence, is_not_seen_before_all_tasks_have_ended) {
  shared s;
  std::vector<std::thread> all;
  for (int me = 0; me < workers; ++me)
    all.emplace_back([&s, me] {
      weft::test::dice dice{static_cast<unsigned>(me) + 1};
      for (int i = 0; i < naps_each; ++i) {
        s.naps.begin();
        s.idle.fetch_add(1, std::memory_order_relaxed);
        weft::test::pause(dice.roll(4));
        s.risen[me].raise();
        s.idle.fetch_sub(1, std::memory_order_relaxed);
        weft::rt::fence_seq_cst();
        s.naps.end();
        if (dice.roll(8) == 0) weft::test::pause(0);
      }
      s.running.fetch_sub(1, std::memory_order_seq_cst);
      s.idle.fetch_add(1, std::memory_order_relaxed);
    });
  while (!weft::rt::is_quiescent(s)) weft::test::pause(0);
  EXPECT_EQ(s.running, 0);
  for (std::thread& t : all) t.join();
  EXPECT_TRUE(weft::rt::is_quiescent(s));
}

}  // namespace
