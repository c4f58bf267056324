// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose members take, steal and settle at once: each iteration runs once, each descriptor
// ends once.
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "lockfree/iteration_span.hpp"
#include "lockfree/loop_ledger.hpp"
#include "threads.hpp"

namespace {

using weft::rt::iteration_span;
using weft::rt::loop_ledger;

constexpr unsigned members = 3;
constexpr unsigned length = 200;

struct loop {
  iteration_span spans[members];
  loop_ledger ledger{length};
  int ran[length] = {};  // plain, as everything below: a thread sanitizer checks the order
  int settled = 0;
  int freed = 0;

  loop() {
    spans[0].put({0, length});
    for (unsigned i = 1; i < members; ++i) ledger.hold();
  }
};

void take_part(loop& l, unsigned me, weft::test::dice& chance) {
  std::uint64_t taken = 0;
  for (;;) {
    auto r = l.spans[me].take_front(1 + chance.roll(4));
    for (unsigned i = 1; r.empty() && i < members; ++i) {
      const auto half = l.spans[(me + i) % members].take_back_half();
      if (half.empty()) continue;
      l.spans[me].put(half);
      r = l.spans[me].take_front(1);
      if (r.empty()) i = 0;  // it was taken from here
    }
    if (r.empty()) break;
    for (std::uint64_t i = r.first; i < r.last; ++i) ++l.ran[i];
    taken += r.size();
  }
  if (taken != 0 && l.ledger.settle(taken)) {
    for (const int times : l.ran) ASSERT_EQ(times, 1);
    ++l.settled;
  }
  if (l.ledger.drop()) {
    ASSERT_EQ(l.settled, 1);
    ++l.freed;
  }
}

TEST(LoopLedger, all_iterations_run_once_and_the_last_member_frees) {
  constexpr int count = 2'000;
  const auto loops = std::make_unique<loop[]>(count);
  std::atomic<int> at[members] = {};
  std::vector<std::thread> threads;
  for (unsigned me = 0; me < members; ++me)
    threads.emplace_back([&, me] {
      weft::test::dice chance(me + 1);
      for (int i = 0; i < count; ++i) {
        // All go along the loops at about the same pace.
        at[me].store(i, std::memory_order_relaxed);
        for (unsigned other = 0; other < members; ++other)
          for (unsigned spun = 0; at[other].load(std::memory_order_relaxed) + 1 < i; ++spun)
            weft::test::pause(spun);
        take_part(loops[i], me, chance);
      }
    });
  for (auto& t : threads) t.join();
  for (int i = 0; i < count; ++i) ASSERT_EQ(loops[i].freed, 1);
}

}  // namespace
