// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-threaded facts about inbox; the races live in tests/model.
#include "lockfree/inbox.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace {

struct letter {
  int number = 0;
  letter* next = nullptr;
};

using box_of_letters = weft::rt::inbox<letter, weft::rt::member_link<&letter::next>>;

std::vector<int> numbers(letter* first) {
  std::vector<int> all;
  for (; first != nullptr; first = first->next) all.push_back(first->number);
  return all;
}

TEST(Inbox, an_empty_one_gives_nothing) {
  box_of_letters box;
  EXPECT_TRUE(box.empty());
  EXPECT_EQ(box.take_all(), nullptr);
}

TEST(Inbox, all_come_out_the_oldest_first) {
  box_of_letters box;
  letter a{1}, b{2}, c{3};
  box.push(&a);
  box.push(&b);
  box.push(&c);
  EXPECT_FALSE(box.empty());
  EXPECT_EQ(numbers(box.take_all()), (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(box.empty());
}

TEST(Inbox, a_chain_keeps_its_order_among_single_items) {
  box_of_letters box;
  letter a{1}, b{2}, c{3}, d{4}, e{5};
  b.next = &c;
  c.next = &d;
  d.next = &e;  // not part of the chain: it ends at `last`
  box.push(&a);
  box.push_chain(&b, &d);
  e.next = nullptr;
  box.push(&e);
  EXPECT_EQ(numbers(box.take_all()), (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(Inbox, a_chain_of_one_is_an_item) {
  box_of_letters box;
  letter a{1};
  box.push_chain(&a, &a);
  EXPECT_EQ(numbers(box.take_all()), std::vector<int>{1});
}

TEST(Inbox, items_may_come_back_with_old_links) {
  box_of_letters box;
  letter a{1}, b{2};
  for (int i = 0; i < 3; ++i) {
    box.push(&a);
    box.push(&b);
    EXPECT_EQ(numbers(box.take_all()), (std::vector<int>{1, 2}));
  }
}

}  // namespace
