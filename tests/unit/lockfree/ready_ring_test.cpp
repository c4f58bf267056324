// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about ready_ring, which is not concurrent by itself.
#include "lockfree/ready_ring.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "heap.hpp"

namespace {

using numbers = std::vector<int>;

struct ReadyRing : testing::Test {
  weft::test::heap heap;
  weft::rt::ready_ring<int*> ring{heap.source(), 4};
  int items[1000];

  void push(int from, int to) {
    for (int i = from; i < to; ++i) ASSERT_TRUE(ring.push(&items[i]));
  }
  numbers popped() {
    numbers all;
    while (int* x = ring.pop()) all.push_back(static_cast<int>(x - items));
    return all;
  }
};

TEST_F(ReadyRing, first_in_first_out) {
  EXPECT_EQ(ring.pop(), nullptr);
  push(0, 3);
  EXPECT_EQ(ring.size_hint(), 3u);
  EXPECT_EQ(popped(), (numbers{0, 1, 2}));
  EXPECT_EQ(ring.size_hint(), 0u);
}

TEST_F(ReadyRing, grows_also_when_wrapped) {
  push(0, 3);
  EXPECT_EQ(ring.pop(), &items[0]);
  EXPECT_EQ(ring.pop(), &items[1]);
  push(3, 1000);
  for (int i = 2; i < 1000; ++i) ASSERT_EQ(ring.pop(), &items[i]);
  EXPECT_EQ(heap.bytes_out(), 1024 * sizeof(int*));
}

TEST_F(ReadyRing, does_not_grow_while_it_only_moves_on) {
  push(0, 3);
  for (int i = 3; i < 1000; ++i) {
    push(i, i + 1);
    ASSERT_EQ(ring.pop(), &items[i - 3]);
  }
  EXPECT_EQ(heap.bytes_out(), 4 * sizeof(int*));
}

TEST_F(ReadyRing, remove_keeps_the_order_of_the_others) {
  for (int wanted = 0; wanted < 5; ++wanted) {
    push(0, 5);
    EXPECT_TRUE(ring.remove(&items[wanted]));
    EXPECT_EQ(ring.size_hint(), 4u);
    numbers rest;
    for (int i = 0; i < 5; ++i)
      if (i != wanted) rest.push_back(i);
    EXPECT_EQ(popped(), rest);
  }
}

TEST_F(ReadyRing, remove_of_a_stranger_does_nothing) {
  EXPECT_FALSE(ring.remove(&items[0]));
  push(0, 2);
  EXPECT_FALSE(ring.remove(&items[5]));
  EXPECT_EQ(popped(), (numbers{0, 1}));
}

TEST_F(ReadyRing, take_half_takes_the_oldest_rounded_up_within_the_room) {
  int* out[8];
  EXPECT_EQ(ring.take_half(out, 8), 0u);
  push(0, 5);
  EXPECT_EQ(ring.take_half(out, 8), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(out[i], &items[i]);
  EXPECT_EQ(ring.size_hint(), 2u);
  push(5, 20);
  EXPECT_EQ(ring.take_half(out, 2), 2u);
  EXPECT_EQ(out[0], &items[3]);
  EXPECT_EQ(out[1], &items[4]);
}

TEST_F(ReadyRing, without_memory_push_fails_and_changes_nothing) {
  heap.run_dry(true);
  EXPECT_FALSE(ring.push(&items[0]));
  heap.run_dry(false);
  push(0, 4);
  heap.run_dry(true);
  EXPECT_FALSE(ring.push(&items[4]));
  EXPECT_EQ(popped(), (numbers{0, 1, 2, 3}));
}

TEST_F(ReadyRing, dispose_gives_all_memory_back) {
  push(0, 100);
  ring.dispose();
  EXPECT_EQ(heap.bytes_out(), 0u);
  EXPECT_EQ(ring.pop(), nullptr);
  push(0, 2);
  EXPECT_EQ(popped(), (numbers{0, 1}));
}

}  // namespace
