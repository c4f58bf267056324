// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that go through many rounds at their own pace: each round counts all of them and ends
// once.
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "lockfree/relay.hpp"
#include "threads.hpp"

namespace {

using weft::rt::relay_round;

constexpr unsigned members = 3;

struct round : relay_round {
  explicit round(int of) : number(of) { begin(members); }
  const int number;  // plain: a thread sanitizer checks the order
  std::atomic<unsigned> came{0};
};

TEST(Relay, all_go_through_the_same_rounds_and_the_last_gives_them_back) {
  constexpr int count = 20'000;
  auto* const start = new round(-1);
  std::atomic<int> given_back{0};
  const auto let_go = [&](round* r) {
    if (!r->let_go()) return;
    EXPECT_EQ(r->came.load(std::memory_order_relaxed), r->number < 0 ? 0 : members);
    delete r;
    given_back.fetch_add(1, std::memory_order_relaxed);
  };
  std::vector<std::thread> threads;
  for (unsigned me = 0; me < members; ++me)
    threads.emplace_back([&, me] {
      weft::test::dice chance(me + 1);
      round* at = start;
      for (int n = 0; n < count; ++n) {
        auto* next = static_cast<round*>(at->next());
        if (next == nullptr) {
          auto* const mine = new round(n);
          next = static_cast<round*>(at->link(*mine));
          if (next != mine) delete mine;
        }
        EXPECT_EQ(next->number, n);
        next->came.fetch_add(1, std::memory_order_relaxed);
        let_go(at);
        at = next;
        if (chance.roll(64) == 0) std::this_thread::yield();
      }
      let_go(at);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(given_back.load(), count + 1);
}

}  // namespace
