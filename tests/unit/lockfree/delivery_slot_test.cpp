// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-threaded facts about delivery_slot; the races live in tests/model.
#include "lockfree/delivery_slot.hpp"

#include <gtest/gtest.h>

namespace {

using slot_of_int = weft::rt::delivery_slot<int, double>;

using weft::rt::delivery_turn;

bool deliver(slot_of_int& slot, int value) {
  delivery_turn turn;
  return slot.deliver(turn, [value](int& item) {
    item = value;
    return true;
  });
}

TEST(DeliverySlot, nothing_can_be_delivered_unless_its_owner_watches) {
  slot_of_int slot;
  EXPECT_FALSE(deliver(slot, 1));
  slot.open();
  EXPECT_FALSE(slot.close());
  EXPECT_FALSE(deliver(slot, 1));
}

TEST(DeliverySlot, what_was_delivered_is_there_until_the_owner_watches_again) {
  slot_of_int slot;
  slot.open();
  EXPECT_FALSE(slot.is_full());
  EXPECT_TRUE(deliver(slot, 7));
  EXPECT_TRUE(slot.is_full());
  EXPECT_FALSE(deliver(slot, 8));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.item(), 7);
  EXPECT_FALSE(deliver(slot, 8));
  slot.open();
  EXPECT_TRUE(deliver(slot, 9));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.item(), 9);
}

TEST(DeliverySlot, who_has_second_thoughts_leaves_it_open) {
  slot_of_int slot;
  delivery_turn turn;
  slot.open();
  EXPECT_FALSE(slot.deliver(turn, [](int&) { return false; }));
  EXPECT_FALSE(slot.is_full());
  EXPECT_TRUE(slot.deliver(turn, [](int& item) {
    item = 3;
    return true;
  }));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.item(), 3);
}

TEST(DeliverySlot, who_is_not_the_one_whose_turn_it_is_delivers_nothing_by_value) {
  slot_of_int slot;
  delivery_turn turn;
  slot.open();
  EXPECT_TRUE(slot.deliver(turn, [&](int& item) {
    EXPECT_FALSE(slot.deliver(turn, [](int&) { return true; }));
    item = 5;
    return true;
  }));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.item(), 5);
}

TEST(DeliverySlot, the_owner_waits_for_nobody_and_may_watch_again_while_an_item_is_written) {
  slot_of_int slot;
  delivery_turn turn;
  slot.open();
  EXPECT_FALSE(slot.deliver(turn, [&](int& item) {
    EXPECT_FALSE(slot.close());
    item = 5;
    return true;
  }));
  slot.open();
  EXPECT_TRUE(slot.deliver(turn, [&](int& item) {
    EXPECT_FALSE(slot.close());
    slot.open();
    item = 6;
    return true;
  }));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.item(), 6);
}

TEST(DeliverySlot, what_has_a_place_elsewhere_comes_as_its_address_in_nobodys_turn) {
  slot_of_int slot;
  double there = 0;
  EXPECT_FALSE(slot.deliver(&there));
  slot.open();
  delivery_turn turn;
  EXPECT_FALSE(slot.deliver(turn, [&](int&) { return slot.deliver(&there); }));
  EXPECT_TRUE(slot.is_full());
  EXPECT_FALSE(slot.deliver(&there));
  EXPECT_FALSE(deliver(slot, 8));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.elsewhere(), &there);
  slot.open();
  EXPECT_TRUE(deliver(slot, 9));
  EXPECT_TRUE(slot.close());
  EXPECT_EQ(slot.elsewhere(), nullptr);
  EXPECT_EQ(slot.item(), 9);
}

}  // namespace
