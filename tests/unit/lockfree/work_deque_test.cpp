// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-threaded facts about work_deque, in both modes; the races live in tests/model.
#include "lockfree/work_deque.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

#include "heap.hpp"

namespace {

using weft::rt::steal_result;
using weft::rt::take_result;
using weft::rt::work_deque;

void never(unsigned) { std::abort(); }  // one thread never waits

struct WorkDeque : testing::TestWithParam<bool> {
  weft::test::heap heap;
  work_deque<int*> deque{heap.source(), never, GetParam(), 4};
  int items[1000];
  int barriers = 0;

  int* item(int i) { return &items[i]; }
  void push(int from, int to) {
    for (int i = from; i < to; ++i) ASSERT_TRUE(deque.push(item(i)));
  }
  bool force() {
    return deque.force_share([this] { ++barriers; });
  }
  int* stolen() {
    int* x = nullptr;
    return deque.steal(x) == steal_result::taken ? x : nullptr;
  }
  std::vector<int> popped() {
    std::vector<int> all;
    while (int* x = deque.pop()) all.push_back(static_cast<int>(x - items));
    return all;
  }
};

using numbers = std::vector<int>;

TEST_P(WorkDeque, owner_pops_newest_first) {
  push(0, 3);
  EXPECT_EQ(popped(), (numbers{2, 1, 0}));
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST_P(WorkDeque, an_empty_deque_stays_usable_after_pops) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(deque.pop(), nullptr);
  EXPECT_EQ(deque.end(), 0);
  push(0, 1);
  EXPECT_EQ(popped(), numbers{0});
}

TEST_P(WorkDeque, private_items_cannot_be_stolen) {
  push(0, 3);
  EXPECT_TRUE(deque.has_private());
  EXPECT_FALSE(deque.has_public());
  EXPECT_EQ(stolen(), nullptr);
}

TEST_P(WorkDeque, share_makes_the_older_half_public_rounded_up) {
  push(0, 5);
  EXPECT_TRUE(deque.share());
  EXPECT_TRUE(deque.has_public());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(stolen(), item(i));
  EXPECT_EQ(stolen(), nullptr);
  EXPECT_EQ(popped(), (numbers{4, 3}));
}

TEST_P(WorkDeque, share_does_nothing_while_something_is_public_or_nothing_private) {
  EXPECT_FALSE(deque.share());
  push(0, 4);
  EXPECT_TRUE(deque.share());
  EXPECT_FALSE(deque.share());
  EXPECT_EQ(stolen(), item(0));
  EXPECT_EQ(stolen(), item(1));
  EXPECT_TRUE(deque.share());
  EXPECT_EQ(stolen(), item(2));
  EXPECT_EQ(stolen(), nullptr);
}

TEST_P(WorkDeque, one_private_item_is_shared_whole) {
  push(0, 1);
  EXPECT_TRUE(deque.share());
  EXPECT_EQ(stolen(), item(0));
}

TEST_P(WorkDeque, force_share_needs_no_owner) {
  push(0, 4);
  EXPECT_TRUE(force());
  EXPECT_EQ(stolen(), item(0));
  EXPECT_EQ(stolen(), item(1));
  EXPECT_EQ(stolen(), nullptr);
  EXPECT_TRUE(force());
  EXPECT_EQ(stolen(), item(2));
  EXPECT_EQ(popped(), numbers{3});
}

TEST_P(WorkDeque, force_share_calls_the_barrier_once_and_only_where_there_is_one) {
  push(0, 2);
  EXPECT_TRUE(force());
  EXPECT_EQ(barriers, GetParam() ? 0 : 1);
}

TEST_P(WorkDeque, force_share_of_nothing_costs_no_barrier) {
  EXPECT_FALSE(force());
  push(0, 1);
  EXPECT_TRUE(force());
  barriers = 0;
  EXPECT_FALSE(force());
  EXPECT_EQ(barriers, 0);
}

TEST_P(WorkDeque, force_share_yields_to_pops_that_came_meanwhile) {
  if (GetParam()) return;  // only the barrier gives the owner a chance in one thread
  push(0, 4);
  const bool shared = deque.force_share([this] {
    EXPECT_EQ(deque.pop(), item(3));
    EXPECT_EQ(deque.pop(), item(2));
  });
  EXPECT_TRUE(shared);
  EXPECT_EQ(stolen(), item(0));
  EXPECT_EQ(stolen(), item(1));
  EXPECT_EQ(popped(), numbers{});
}

TEST_P(WorkDeque, owner_takes_public_items_back) {
  push(0, 8);
  EXPECT_TRUE(deque.share());
  EXPECT_EQ(popped(), (numbers{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(stolen(), nullptr);
}

TEST_P(WorkDeque, owner_takes_half_of_the_public_items_back_at_a_time) {
  push(0, 8);
  EXPECT_TRUE(deque.share());
  for (int i = 7; i >= 3; --i) EXPECT_EQ(deque.pop(), item(i));
  EXPECT_TRUE(deque.has_public());
  EXPECT_EQ(stolen(), item(0));
  EXPECT_EQ(stolen(), item(1));
  EXPECT_EQ(popped(), numbers{2});
}

TEST_P(WorkDeque, owner_may_steal_its_own_oldest) {
  push(0, 3);
  EXPECT_TRUE(deque.share());
  EXPECT_EQ(stolen(), item(0));
  EXPECT_EQ(popped(), (numbers{2, 1}));
}

TEST_P(WorkDeque, holds_looks_only) {
  EXPECT_FALSE(deque.holds(item(0), 0));
  push(0, 2);
  EXPECT_TRUE(deque.holds(item(1), 1));
  EXPECT_TRUE(deque.holds(item(0), 0));
  EXPECT_FALSE(deque.holds(item(0), 1));
  EXPECT_FALSE(deque.holds(item(0), 2));
  EXPECT_EQ(deque.remaining_hint(), 2);
}

TEST_P(WorkDeque, what_the_owner_looks_at_nobody_takes_meanwhile) {
  if (GetParam()) return;  // nothing there is private for sure
  push(0, 1);
  EXPECT_TRUE(deque.stands(0, [this](const int* x) {
    EXPECT_FALSE(force());
    EXPECT_EQ(stolen(), nullptr);
    return x == item(0);
  }));
  EXPECT_EQ(deque.take(0), take_result::newest);
  push(1, 5);  // at 0 to 3
  EXPECT_TRUE(deque.stands(1, [this](const int* x) {
    EXPECT_TRUE(force());
    EXPECT_EQ(stolen(), item(1));
    EXPECT_EQ(stolen(), nullptr);
    return x == item(2);
  }));
  EXPECT_EQ(popped(), (numbers{4, 3, 2}));
}

TEST_P(WorkDeque, a_look_leaves_all_as_it_was) {
  push(0, 4);
  EXPECT_FALSE(deque.stands(1, [](const int*) { return false; }));
  EXPECT_EQ(deque.remaining_hint(), 4);
  EXPECT_EQ(deque.end(), 4);
  EXPECT_EQ(popped(), (numbers{3, 2, 1, 0}));
}

TEST_P(WorkDeque, neither_a_hole_nor_what_is_public_is_looked_at) {
  push(0, 4);
  EXPECT_TRUE(deque.share());
  EXPECT_NE(deque.take(2), take_result::no);
  for (const int64_t k : {0, 1, 2}) EXPECT_FALSE(deque.stands(k, [](const int*) { return true; }));
  EXPECT_EQ(popped(), (numbers{3, 1, 0}));
}

TEST_P(WorkDeque, pops_pass_over_what_was_taken_from_the_middle) {
  push(0, 5);
  EXPECT_NE(deque.take(1), take_result::no);
  EXPECT_NE(deque.take(3), take_result::no);
  EXPECT_FALSE(deque.holds(item(3), 3));
  EXPECT_EQ(popped(), (numbers{4, 2, 0}));
}

TEST_P(WorkDeque, taking_all_oldest_first_leaves_an_empty_deque) {
  if (GetParam()) return;  // there holes stay until a pop asks at the gate
  push(0, 5);
  for (int i = 0; i < 5; ++i) EXPECT_NE(deque.take(i), take_result::no);
  EXPECT_EQ(deque.remaining_hint(), 0);
  EXPECT_EQ(deque.end(), 0);
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST_P(WorkDeque, a_pop_above_a_hole_takes_the_hole_along) {
  if (GetParam()) return;
  push(0, 2);
  EXPECT_NE(deque.take(0), take_result::no);
  EXPECT_EQ(deque.pop(), item(1));
  EXPECT_EQ(deque.remaining_hint(), 0);
}

TEST_P(WorkDeque, a_pop_passes_over_any_number_of_holes) {
  constexpr int count = 1'000'000;
  int x = 0;
  for (int i = 0; i < count; ++i) ASSERT_TRUE(deque.push(&x));
  for (int i = 1; i < count - 1; ++i) ASSERT_EQ(deque.take(i), take_result::from_middle);
  EXPECT_EQ(deque.pop(), &x);
  EXPECT_EQ(deque.pop(), &x);
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST_P(WorkDeque, thieves_pass_over_holes) {
  push(0, 4);
  EXPECT_NE(deque.take(0), take_result::no);
  EXPECT_TRUE(deque.share());
  int* x = nullptr;
  EXPECT_EQ(deque.steal(x), steal_result::lost);
  EXPECT_EQ(deque.steal(x), steal_result::taken);
  EXPECT_EQ(x, item(1));
}

TEST_P(WorkDeque, what_is_public_is_not_taken_from_the_middle) {
  push(0, 4);
  EXPECT_TRUE(deque.share());
  EXPECT_EQ(deque.take(1), take_result::no);
  EXPECT_EQ(stolen(), item(0));
  EXPECT_EQ(popped(), (numbers{3, 2, 1}));
}

TEST_P(WorkDeque, an_owner_that_takes_holes_back_goes_on_to_the_next_item) {
  if (GetParam()) return;
  push(0, 4);
  EXPECT_NE(deque.take(1), take_result::no);
  EXPECT_NE(deque.take(2), take_result::no);
  EXPECT_TRUE(deque.share());
  EXPECT_EQ(popped(), (numbers{3, 0}));
}

TEST_P(WorkDeque, take_of_the_newest_takes_a_public_item_back) {
  push(0, 1);
  EXPECT_TRUE(deque.share());
  EXPECT_NE(deque.take(0), take_result::no);
  EXPECT_EQ(stolen(), nullptr);
}

TEST_P(WorkDeque, take_of_a_stolen_item_changes_nothing) {
  push(0, 1);
  EXPECT_TRUE(deque.share());
  EXPECT_EQ(stolen(), item(0));
  EXPECT_FALSE(deque.holds(item(0), 0) && deque.take(0) != take_result::no);  // holds is stale here
  push(1, 2);
  EXPECT_EQ(popped(), numbers{1});
}

TEST_P(WorkDeque, insert_below_goes_beneath_the_newest_n) {
  push(0, 4);
  EXPECT_TRUE(deque.insert_below(item(9), 2));
  EXPECT_EQ(popped(), (numbers{3, 2, 9, 1, 0}));
}

TEST_P(WorkDeque, insert_below_none_is_a_push) {
  push(0, 2);
  EXPECT_TRUE(deque.insert_below(item(9), 0));
  EXPECT_EQ(popped(), (numbers{9, 1, 0}));
}

TEST_P(WorkDeque, insert_below_stops_at_the_public_part) {
  push(0, 4);
  EXPECT_TRUE(deque.share());
  EXPECT_TRUE(deque.insert_below(item(9), 100));
  EXPECT_EQ(popped(), (numbers{3, 2, 9, 1, 0}));
}

TEST_P(WorkDeque, insert_below_into_an_empty_or_wholly_public_deque_is_a_push) {
  EXPECT_TRUE(deque.insert_below(item(9), 3));
  EXPECT_TRUE(deque.share());
  EXPECT_TRUE(deque.insert_below(item(8), 3));
  EXPECT_EQ(popped(), (numbers{8, 9}));
}

TEST_P(WorkDeque, insert_below_grows) {
  push(0, 4);
  EXPECT_TRUE(deque.insert_below(item(9), 3));
  EXPECT_EQ(popped(), (numbers{3, 2, 1, 9, 0}));
}

TEST_P(WorkDeque, take_private_finds_it_wherever_it_stands) {
  for (int wanted = 0; wanted < 3; ++wanted) {
    push(0, 3);
    EXPECT_TRUE(deque.take_private(item(wanted)));
    numbers rest;
    for (int i = 2; i >= 0; --i)
      if (i != wanted) rest.push_back(i);
    EXPECT_EQ(popped(), rest);
  }
}

TEST_P(WorkDeque, take_private_leaves_strangers_and_public_items_alone) {
  push(0, 2);
  EXPECT_TRUE(deque.share());
  EXPECT_FALSE(deque.take_private(item(0)));
  EXPECT_FALSE(deque.take_private(item(5)));
  EXPECT_EQ(popped(), (numbers{1, 0}));
}

TEST_P(WorkDeque, grows_without_limit_and_keeps_the_order) {
  push(0, 1000);
  EXPECT_EQ(deque.remaining_hint(), 1000);
  EXPECT_TRUE(deque.share());
  for (int i = 0; i < 500; ++i) EXPECT_EQ(stolen(), item(i));
  for (int i = 999; i >= 500; --i) EXPECT_EQ(deque.pop(), item(i));
}

TEST_P(WorkDeque, wraps_round_without_growing) {
  push(0, 2);
  const std::size_t before = heap.bytes_out();
  for (int i = 2; i < 1000; ++i) {
    push(i, i + 1);
    ASSERT_TRUE(deque.has_public() || deque.share());
    ASSERT_EQ(stolen(), item(i - 2));
  }
  EXPECT_EQ(heap.bytes_out(), before);
}

TEST_P(WorkDeque, old_rings_are_smaller_than_the_newest_and_go_at_dispose) {
  push(0, 1000);
  EXPECT_LE(heap.bytes_out(), 2 * 1024 * sizeof(int*) + 10 * 16);
  deque.dispose();
  EXPECT_EQ(heap.bytes_out(), 0u);
  EXPECT_EQ(deque.pop(), nullptr);
  push(0, 2);
  EXPECT_EQ(popped(), (numbers{1, 0}));
}

TEST_P(WorkDeque, without_memory_push_fails_and_changes_nothing) {
  heap.run_dry(true);
  EXPECT_FALSE(deque.push(item(0)));
  EXPECT_FALSE(deque.insert_below(item(0), 1));
  EXPECT_EQ(deque.pop(), nullptr);
  heap.run_dry(false);
  push(0, 4);
  heap.run_dry(true);
  EXPECT_FALSE(deque.push(item(4)));
  EXPECT_FALSE(deque.insert_below(item(4), 2));
  EXPECT_EQ(popped(), (numbers{3, 2, 1, 0}));
}

TEST_P(WorkDeque, end_counts_pushes_less_pops) {
  push(0, 6);
  EXPECT_EQ(deque.end(), 6);
  (void)deque.pop();
  EXPECT_EQ(deque.end(), 5);
  EXPECT_TRUE(deque.share());
  EXPECT_EQ(stolen(), item(0));
  EXPECT_EQ(deque.end(), 5);
}

INSTANTIATE_TEST_SUITE_P(modes, WorkDeque, testing::Bool(),
                         [](const auto& p) { return p.param ? "symmetric" : "asymmetric"; });

}  // namespace
