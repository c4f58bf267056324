// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-threaded facts about delivery_slot; the races live in tests/model.
#include "lockfree/delivery_slot.hpp"

#include <gtest/gtest.h>

namespace {

using slot_of_int = weft::rt::delivery_slot<int>;

bool deliver(slot_of_int& slot, int value) {
  return slot.deliver([value](int& item) {
    item = value;
    return true;
  });
}

TEST(DeliverySlot, nothing_can_be_delivered_unless_its_owner_watches) {
  slot_of_int slot;
  EXPECT_FALSE(deliver(slot, 1));
  EXPECT_TRUE(slot.open());
  EXPECT_FALSE(slot.close());
  EXPECT_FALSE(deliver(slot, 1));
}

TEST(DeliverySlot, what_was_delivered_is_there_until_the_owner_watches_again) {
  slot_of_int slot;
  EXPECT_TRUE(slot.open());
  EXPECT_FALSE(slot.is_full());
  EXPECT_TRUE(deliver(slot, 7));
  EXPECT_TRUE(slot.is_full());
  EXPECT_FALSE(deliver(slot, 8));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.item(), 7);
  EXPECT_FALSE(deliver(slot, 8));
  EXPECT_TRUE(slot.open());
  EXPECT_TRUE(deliver(slot, 9));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.item(), 9);
}

TEST(DeliverySlot, who_has_second_thoughts_leaves_it_open) {
  slot_of_int slot;
  EXPECT_TRUE(slot.open());
  EXPECT_FALSE(slot.deliver([](int&) { return false; }));
  EXPECT_FALSE(slot.is_full());
  EXPECT_TRUE(deliver(slot, 3));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.item(), 3);
}

TEST(DeliverySlot, the_owner_waits_for_nobody_and_who_was_late_has_delivered_nothing) {
  slot_of_int slot;
  EXPECT_TRUE(slot.open());
  EXPECT_FALSE(slot.deliver([&](int& item) {
    EXPECT_FALSE(slot.close());
    EXPECT_FALSE(slot.open());  // he may still write
    item = 5;
    return true;
  }));
  EXPECT_TRUE(slot.open());
  EXPECT_TRUE(deliver(slot, 6));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.item(), 6);
}

}  // namespace
