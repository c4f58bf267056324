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

TEST(RevocableLock, has_no_bias_without_a_barrier) {
  revocable_lock lock{true, never};
  EXPECT_TRUE(lock.is_revoked());
  const revocable_lock::way came = lock.lock_as_owner();
  EXPECT_EQ(came, revocable_lock::way::word);
  lock.unlock_as_owner(came);
}

}  // namespace
