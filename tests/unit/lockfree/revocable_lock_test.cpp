// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-threaded facts about revocable_lock; the races live in tests/model.
#include "lockfree/revocable_lock.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::revocable_lock;

void never(unsigned) { FAIL() << "nobody is inside"; }

TEST(RevocableLock, owner_comes_by_the_bias_until_another_came) {
  revocable_lock lock{false, never};
  int barriers = 0;
  for (int i = 0; i < 2; ++i) {
    const revocable_lock::way came = lock.lock_as_owner();
    EXPECT_EQ(came, revocable_lock::way::bias);
    lock.unlock_as_owner(came);
  }
  EXPECT_FALSE(lock.is_revoked());
  for (int i = 0; i < 2; ++i) {
    lock.lock([&] { ++barriers; });
    EXPECT_TRUE(lock.is_revoked());
    lock.unlock();
    EXPECT_EQ(barriers, 1);
  }
  const revocable_lock::way came = lock.lock_as_owner();
  EXPECT_EQ(came, revocable_lock::way::word);
  lock.unlock_as_owner(came);
}

TEST(RevocableLock, owner_has_the_bias_again_when_it_was_alone_for_long_each_time_for_longer) {
  revocable_lock lock{false, never, 2};
  int barriers = 0;
  const auto other = [&] {
    lock.lock([&] { ++barriers; });
    lock.unlock();
  };
  const auto turns_by_word = [&] {
    int turns = 0;
    for (;; ++turns) {
      const revocable_lock::way came = lock.lock_as_owner();
      lock.unlock_as_owner(came);
      if (came == revocable_lock::way::bias) return turns;
    }
  };
  EXPECT_EQ(turns_by_word(), 0);
  for (const int patience : {4, 8, 16}) {
    other();
    EXPECT_EQ(turns_by_word(), patience);
    EXPECT_FALSE(lock.is_revoked());
  }
  EXPECT_EQ(barriers, 3);
  other();
  for (int i = 0; i < 31; ++i) {
    lock.unlock_as_owner(lock.lock_as_owner());
    if (i == 15) other();  // who has been alone for 16 turns begins to count anew
  }
  EXPECT_TRUE(lock.is_revoked());
  EXPECT_EQ(barriers, 4);
}

TEST(RevocableLock, has_no_bias_without_a_barrier) {
  revocable_lock lock{true, never, 1};
  EXPECT_TRUE(lock.is_revoked());
  const revocable_lock::way came = lock.lock_as_owner();
  EXPECT_EQ(came, revocable_lock::way::word);
  lock.unlock_as_owner(came);
}

}  // namespace
