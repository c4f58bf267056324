// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transitions of join_word one after the other; the races live in tests/model.
#include "lockfree/join_word.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::join_word;

TEST(JoinWord, finish_with_nobody_waiting_says_running) {
  join_word w;
  w.reset();
  EXPECT_FALSE(w.is_done());
  EXPECT_EQ(w.finish(), join_word::running);
  EXPECT_TRUE(w.is_done());
}

TEST(JoinWord, finish_returns_the_waiter) {
  join_word w;
  const std::uint64_t waiter = 0x7f0012345670 | 4;  // a tagged pointer
  EXPECT_TRUE(w.wait_for(waiter));
  EXPECT_FALSE(w.is_done());
  EXPECT_EQ(w.finish(), waiter);
  EXPECT_TRUE(w.is_done());
}

TEST(JoinWord, wait_for_a_done_task_says_so) {
  join_word w;
  (void)w.finish();
  EXPECT_FALSE(w.wait_for(join_word::first_waiter));
  EXPECT_TRUE(w.is_done());
}

TEST(JoinWord, a_waiter_may_withdraw_and_wait_again) {
  join_word w;
  const std::uint64_t waiter = 0x7f0012345670 | 2;
  EXPECT_TRUE(w.wait_for(waiter));
  EXPECT_TRUE(w.withdraw(waiter));
  EXPECT_TRUE(w.wait_for(waiter));
  EXPECT_EQ(w.finish(), waiter);
  EXPECT_FALSE(w.withdraw(waiter));
  EXPECT_TRUE(w.is_done());
}

TEST(JoinWord, finish_of_a_detached_task_frees) {
  join_word w;
  EXPECT_TRUE(w.detach());
  EXPECT_FALSE(w.is_done());
  EXPECT_EQ(w.finish(), join_word::detached);
}

TEST(JoinWord, detach_of_a_done_task_frees) {
  join_word w;
  (void)w.finish();
  EXPECT_FALSE(w.detach());
}

TEST(JoinWord, a_task_may_be_detached_from_the_start) {
  join_word w;
  w.start_detached();
  EXPECT_FALSE(w.is_done());
  EXPECT_EQ(w.finish(), join_word::detached);
}

TEST(JoinWord, a_task_that_is_detached_for_an_object_is_known_by_it) {
  join_word w;
  EXPECT_FALSE(w.is_detached_for(64));
  EXPECT_FALSE(w.is_detached());
  EXPECT_EQ(w.object(), 0u);
  w.start_detached(64);
  EXPECT_TRUE(w.is_detached_for(64));
  EXPECT_FALSE(w.is_detached_for(72));
  EXPECT_TRUE(w.is_detached());
  EXPECT_EQ(w.object(), 64u);
  EXPECT_FALSE(w.is_done());
  EXPECT_EQ(w.finish(), join_word::detached);
}

TEST(JoinWord, a_waiter_is_no_object) {
  join_word w;
  ASSERT_TRUE(w.wait_for(64));
  EXPECT_FALSE(w.is_detached());
  EXPECT_EQ(w.object(), 0u);
}

TEST(JoinWord, reset_makes_it_new) {
  join_word w;
  (void)w.finish();
  w.reset();
  EXPECT_FALSE(w.is_done());
  EXPECT_TRUE(w.detach());
}

}  // namespace
