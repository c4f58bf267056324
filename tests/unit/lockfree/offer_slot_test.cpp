// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-threaded facts about offer_slot; the races live in tests/model.
#include "lockfree/offer_slot.hpp"

#include <gtest/gtest.h>

namespace {

TEST(OfferSlot, an_empty_one_gives_nothing) {
  weft::rt::offer_slot<int> slot;
  EXPECT_TRUE(slot.empty());
  EXPECT_EQ(slot.take(), nullptr);
}

TEST(OfferSlot, an_item_is_taken_once) {
  weft::rt::offer_slot<int> slot;
  int item = 0;
  EXPECT_EQ(slot.put(&item), nullptr);
  EXPECT_FALSE(slot.empty());
  EXPECT_EQ(slot.take(), &item);
  EXPECT_TRUE(slot.empty());
  EXPECT_EQ(slot.take(), nullptr);
}

TEST(OfferSlot, the_next_item_displaces_the_one_before) {
  weft::rt::offer_slot<int> slot;
  int items[2] = {};
  EXPECT_EQ(slot.put(&items[0]), nullptr);
  EXPECT_EQ(slot.put(&items[1]), &items[0]);
  EXPECT_EQ(slot.take(), &items[1]);
}

}  // namespace
