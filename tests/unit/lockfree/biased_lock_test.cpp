// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-threaded facts about biased_lock; the races live in tests/model.
#include "lockfree/biased_lock.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::biased_lock;

// What the other side does while one waits: a test thread has only its own hands.
biased_lock* waited_for = nullptr;
int pauses = 0;
void let_owner_leave(unsigned spun) {
  EXPECT_EQ(spun, static_cast<unsigned>(pauses++));
  if (pauses == 3) waited_for->unlock();
}
void let_visitor_leave(unsigned spun) {
  EXPECT_EQ(spun, static_cast<unsigned>(pauses++));
  if (pauses == 3) waited_for->end_visit();
}

struct BiasedLock : testing::TestWithParam<bool> {
  void SetUp() override { pauses = 0; }
};

TEST_P(BiasedLock, owner_comes_and_goes) {
  biased_lock lock{GetParam(), let_owner_leave};
  lock.lock();
  lock.unlock();
  lock.lock();
  lock.unlock();
  EXPECT_EQ(pauses, 0);
}

TEST_P(BiasedLock, visitors_come_one_at_a_time) {
  biased_lock lock{GetParam(), let_owner_leave};
  const auto barrier = [] {};
  EXPECT_TRUE(lock.try_visit(barrier));
  EXPECT_FALSE(lock.try_visit(barrier));
  lock.end_visit();
  EXPECT_TRUE(lock.try_visit(barrier));
  lock.end_visit();
}

TEST_P(BiasedLock, a_visitor_calls_the_barrier_where_there_is_one) {
  biased_lock lock{GetParam(), let_owner_leave};
  int barriers = 0;
  EXPECT_TRUE(lock.try_visit([&] { ++barriers; }));
  EXPECT_EQ(barriers, GetParam() ? 0 : 1);
}

TEST_P(BiasedLock, a_visitor_waits_for_the_owner) {
  biased_lock lock{GetParam(), let_owner_leave};
  waited_for = &lock;
  lock.lock();
  EXPECT_TRUE(lock.try_visit([] {}));
  EXPECT_EQ(pauses, 3);
  lock.end_visit();
}

TEST_P(BiasedLock, the_owner_waits_for_a_visitor) {
  biased_lock lock{GetParam(), let_visitor_leave};
  waited_for = &lock;
  EXPECT_TRUE(lock.try_visit([] {}));
  lock.lock();
  EXPECT_EQ(pauses, 3);
  lock.unlock();
}

INSTANTIATE_TEST_SUITE_P(modes, BiasedLock, testing::Bool(),
                         [](const auto& p) { return p.param ? "symmetric" : "asymmetric"; });

}  // namespace
