// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counts of a shared loop one step after the other; the races live in tests/model.
#include "lockfree/loop_ledger.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::loop_ledger;

TEST(LoopLedger, says_who_settles_the_last) {
  loop_ledger l(10);
  EXPECT_FALSE(l.settle(3));
  EXPECT_FALSE(l.settle(6));
  EXPECT_FALSE(l.settled());
  EXPECT_TRUE(l.settle(1));
  EXPECT_TRUE(l.settled());
}

TEST(LoopLedger, says_who_drops_the_last_hold) {
  loop_ledger l(1);
  l.hold();
  EXPECT_FALSE(l.drop());
  EXPECT_TRUE(l.drop());
}

TEST(LoopLedger, counts_a_hold_from_before_anybody_knew_of_it) {
  loop_ledger l(1);
  l.hold_unseen();
  l.hold();
  EXPECT_FALSE(l.drop());
  EXPECT_FALSE(l.drop());
  EXPECT_TRUE(l.drop());
}

}  // namespace
