// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds made, linked and given back one step after the other; the races live in tests/model.
#include "lockfree/relay.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::relay_round;

TEST(Relay, who_links_second_gets_the_round_of_the_first) {
  relay_round start, a, b;
  start.begin(2);
  EXPECT_EQ(start.next(), nullptr);
  EXPECT_EQ(start.link(a), &a);
  EXPECT_EQ(start.link(b), &a);
  EXPECT_EQ(start.next(), &a);
}

TEST(Relay, who_lets_go_last_is_told) {
  relay_round r;
  r.begin(3);
  EXPECT_FALSE(r.let_go());
  EXPECT_FALSE(r.let_go());
  EXPECT_TRUE(r.let_go());
}

TEST(Relay, a_round_given_back_can_begin_anew) {
  relay_round r, other;
  r.begin(1);
  EXPECT_EQ(r.link(other), &other);
  EXPECT_TRUE(r.let_go());
  r.begin(1);
  EXPECT_EQ(r.next(), nullptr);
  EXPECT_TRUE(r.let_go());
}

}  // namespace
