// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One owner, two thieves that also share by force, real threads: every item is taken once.
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "lockfree/work_deque.hpp"
#include "threads.hpp"

namespace {

using weft::rt::steal_result;
using weft::rt::take_result;
using weft::rt::work_deque;

struct item {
  int body = 0;  // plain: a thread sanitizer checks that the taker may touch it
};

struct WorkDeque : testing::TestWithParam<bool> {
  static constexpr int item_count = 400'000;
  static constexpr std::uint64_t seed = 0x9e3779b97f4a7c15;

  std::vector<item> items = std::vector<item>(item_count);
  work_deque<item*> deque{weft::test::memory, weft::test::pause, GetParam(), 4};
  std::atomic<bool> done{false};
  std::atomic<int> stolen{0};

  void thief() {
    int mine = 0;
    const auto steal = [&] {
      item* it = nullptr;
      while (deque.steal(it) != steal_result::empty)
        if (it != nullptr) {
          ++it->body;
          ++mine;
          it = nullptr;
        }
    };
    while (!done.load(std::memory_order_acquire)) {
      steal();
      if (deque.has_private()) deque.force_share(weft::test::process_barrier{});
      steal();
    }
    stolen.fetch_add(mine, std::memory_order_relaxed);
  }

  // Owner: returns how many it took itself.
  int push_and_pop_all() {
    weft::test::dice dice{seed};
    int mine = 0;
    const auto take = [&](item* it) {
      if (it == nullptr) return false;
      ++it->body;
      ++mine;
      return true;
    };
    for (int next = 0; next < item_count;) {
      item* const it = &items[next];
      it->body = 1;
      switch (dice.roll(8)) {
        case 0: {
          EXPECT_TRUE(deque.insert_below(it, dice.roll(6)));
          ++next;
          break;
        }
        case 1: {
          EXPECT_TRUE(deque.push(it));
          ++next;
          if (deque.take_private(it)) take(it);
          break;
        }
        case 2: {  // the newest, or out of the middle, which leaves a hole
          const std::int64_t k = deque.end();
          EXPECT_TRUE(deque.push(it));
          ++next;
          for (unsigned n = dice.roll(4); n > 0 && next < item_count; --n) {
            items[next].body = 1;
            EXPECT_TRUE(deque.push(&items[next++]));
          }
          if (deque.holds(it, k) && deque.take(k) != take_result::no) take(it);
          break;
        }
        case 3:
          deque.share();
          break;
        case 4:
          take(deque.pop());
          break;
        case 5: {
          for (unsigned n = dice.roll(40); n > 0 && take(deque.pop()); --n) {
          }
          break;
        }
        default: {
          EXPECT_TRUE(deque.push(it));
          ++next;
        }
      }
    }
    while (take(deque.pop())) {
    }
    return mine;
  }
};

TEST_P(WorkDeque, every_item_is_taken_once) {
  WEFT_SKIP_WITHOUT_BARRIER(GetParam());
  RecordProperty("seed", std::to_string(seed));
  std::thread a([this] { thief(); });
  std::thread b([this] { thief(); });
  const int mine = push_and_pop_all();
  done.store(true, std::memory_order_release);
  a.join();
  b.join();
  EXPECT_EQ(mine + stolen.load(), item_count) << "seed " << seed;
  for (const item& it : items) ASSERT_EQ(it.body, 2) << "seed " << seed;
}

// The owner hides its work and computes; the others must get all of it.
TEST_P(WorkDeque, a_silent_owner_hides_nothing) {
  WEFT_SKIP_WITHOUT_BARRIER(GetParam());
  constexpr int hidden = 2'000;
  for (int i = 0; i < hidden; ++i) {
    items[i].body = 1;
    ASSERT_TRUE(deque.push(&items[i]));
  }
  std::thread a([this] { thief(); });
  std::thread b([this] { thief(); });
  while (deque.remaining_hint() > 0) std::this_thread::yield();
  done.store(true, std::memory_order_release);
  a.join();
  b.join();
  EXPECT_EQ(stolen.load(), hidden);
}

INSTANTIATE_TEST_SUITE_P(modes, WorkDeque, testing::Bool(),
                         [](const auto& p) { return p.param ? "symmetric" : "asymmetric"; });

}  // namespace
