// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wheel against a sorted list: what is due comes in order, exactly when it is due.
#include "lockfree/timer_wheel.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

namespace weft::rt {
namespace {

constexpr int plenty = 1 << 30;

wheel_entry* take(timer_wheel& wheel, int64_t now) {
  int moves = plenty;
  return wheel.take(now, moves);
}

TEST(timer_wheel, nothing_is_due_in_an_empty_one) {
  timer_wheel wheel(5);
  EXPECT_EQ(wheel.next(), timer_wheel::never);
  EXPECT_EQ(take(wheel, 1'000'000), nullptr);
}

TEST(timer_wheel, a_tick_is_due_when_it_has_come_and_not_before) {
  for (const int64_t start : {int64_t{0}, int64_t{63}, int64_t{1} << 40}) {
    for (const int64_t ahead : {1, 2, 63, 64, 65, 4'095, 4'096, 4'097, 262'144, 1'000'000'007}) {
      timer_wheel wheel(start);
      wheel_entry e;
      wheel.add(e, start + ahead);
      EXPECT_EQ(wheel.next(), start + ahead);
      EXPECT_EQ(take(wheel, start + ahead - 1), nullptr);
      EXPECT_EQ(wheel.next(), start + ahead);
      EXPECT_EQ(take(wheel, start + ahead), &e);
      EXPECT_EQ(take(wheel, start + ahead), nullptr);
      EXPECT_EQ(wheel.next(), timer_wheel::never);
    }
  }
}

TEST(timer_wheel, what_has_passed_is_due_at_once) {
  timer_wheel wheel(1'000);
  wheel_entry now;
  wheel_entry long_ago;
  wheel.add(now, 1'000);
  wheel.add(long_ago, 1);
  EXPECT_LE(wheel.next(), 1'000);
  EXPECT_EQ(take(wheel, 1'000), &now);
  EXPECT_EQ(take(wheel, 1'000), &long_ago);
}

TEST(timer_wheel, the_last_tick_of_all_has_a_place) {
  timer_wheel wheel(0);
  wheel_entry e;
  wheel.add(e, timer_wheel::never - 1);
  EXPECT_EQ(wheel.next(), timer_wheel::never - 1);
  EXPECT_EQ(take(wheel, timer_wheel::never - 2), nullptr);
  EXPECT_EQ(take(wheel, timer_wheel::never - 1), &e);
}

TEST(timer_wheel, entries_of_one_tick_come_in_their_order_of_arrival) {
  timer_wheel wheel(0);
  std::vector<wheel_entry> entries(100);
  for (wheel_entry& e : entries) wheel.add(e, 5'000'000);
  for (wheel_entry& e : entries) EXPECT_EQ(take(wheel, 6'000'000), &e);
}

TEST(timer_wheel, a_removed_entry_is_never_due) {
  timer_wheel wheel(0);
  wheel_entry a;
  wheel_entry b;
  wheel_entry c;
  wheel.add(a, 7'000);
  wheel.add(b, 7'000);
  wheel.add(c, 7'000);
  wheel.remove(b);
  EXPECT_EQ(take(wheel, 7'000), &a);
  wheel.remove(c);
  EXPECT_EQ(take(wheel, 7'000), nullptr);
  EXPECT_EQ(wheel.next(), timer_wheel::never);
}

TEST(timer_wheel, a_take_moves_no_more_entries_than_it_may_and_goes_on_later) {
  timer_wheel wheel(0);
  std::vector<wheel_entry> entries(100);
  constexpr int64_t far = int64_t{1} << 20;
  for (std::size_t i = 0; i < entries.size(); ++i)
    wheel.add(entries[i], far + static_cast<int64_t>(i) + 1);
  constexpr int64_t now = far + 1'000;
  std::size_t taken = 0;
  int in_vain = 0;
  while (wheel.next() <= now) {
    int moves = 7;
    if (wheel_entry* e = wheel.take(now, moves)) {
      EXPECT_EQ(e, &entries[taken++]);
    } else {
      ++in_vain;
    }
  }
  EXPECT_EQ(taken, entries.size());
  EXPECT_GE(in_vain, 100 / 7);
}

TEST(timer_wheel, an_entry_that_is_on_its_way_to_another_level_can_be_removed) {
  timer_wheel wheel(0);
  std::vector<wheel_entry> entries(10);
  for (wheel_entry& e : entries) wheel.add(e, 1'000);
  int moves = 3;
  EXPECT_EQ(wheel.take(1'000, moves), nullptr);
  wheel.remove(entries[0]);
  wheel.remove(entries[9]);
  for (int i = 1; i < 9; ++i) EXPECT_EQ(take(wheel, 1'000), &entries[i]);
  EXPECT_EQ(take(wheel, 1'000), nullptr);
}

// Any mixture of adds, removes and takes agrees with a sorted list, on every level.
TEST(timer_wheel, agrees_with_a_sorted_list) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    int64_t now = static_cast<int64_t>(random() % (int64_t{1} << 45));
    timer_wheel wheel(now);
    std::vector<wheel_entry> entries(400);
    std::vector<bool> in(entries.size());
    std::multimap<int64_t, std::size_t> sorted;
    const auto forget = [&](std::size_t i) {
      for (auto [at, end] = sorted.equal_range(entries[i].tick); at != end; ++at)
        if (at->second == i) {
          sorted.erase(at);
          break;
        }
      in[i] = false;
    };
    for (int step = 0; step < 40'000; ++step) {
      const std::size_t i = random() % entries.size();
      const uint64_t what = random() % 8;
      if (what < 5) {
        if (in[i]) {
          wheel.remove(entries[i]);
          forget(i);
        } else {
          const int64_t ahead = 1 + static_cast<int64_t>(random() >> (20 + random() % 44));
          wheel.add(entries[i], now + ahead);
          sorted.emplace(now + ahead, i);
          in[i] = true;
        }
      } else {
        // Sometimes to just before, at, or past the earliest.
        int64_t to = now + static_cast<int64_t>(random() % 100);
        if (!sorted.empty() && what != 5)
          to = sorted.begin()->first - 1 + static_cast<int64_t>(random() % 3);
        now = std::max(now, to);
        for (;;) {
          EXPECT_TRUE(sorted.empty() || wheel.next() <= sorted.begin()->first);
          wheel_entry* e = take(wheel, now);
          if (e == nullptr) break;
          ASSERT_FALSE(sorted.empty());
          EXPECT_EQ(e->tick, sorted.begin()->first);
          forget(static_cast<std::size_t>(e - entries.data()));
        }
        EXPECT_TRUE(sorted.empty() || sorted.begin()->first > now);
        EXPECT_GT(wheel.next(), now);
      }
    }
  }
}

}  // namespace
}  // namespace weft::rt
