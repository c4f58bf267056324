// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transitions of wake_word one after the other; the protocol is proved in tests/model.
#include "lockfree/wake_word.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::wake_reason;
using weft::rt::wake_result;
using weft::rt::wake_word;

TEST(WakeWord, a_worker_that_is_awake_is_not_woken) {
  wake_word w;
  EXPECT_EQ(w.call(), wake_result::not_idle);
  EXPECT_EQ(w.hand_search(), wake_result::not_idle);
  EXPECT_FALSE(w.is_notified());
}

TEST(WakeWord, a_watching_worker_notices_by_itself) {
  wake_word w;
  w.watch();
  EXPECT_EQ(w.call(), wake_result::noticed);
  EXPECT_TRUE(w.is_notified());
  EXPECT_FALSE(w.fall_asleep());
  EXPECT_EQ(w.rise(), wake_reason::called);
  EXPECT_EQ(w.call(), wake_result::not_idle);
}

TEST(WakeWord, a_sleeper_must_be_woken_once) {
  wake_word w;
  w.watch();
  EXPECT_TRUE(w.fall_asleep());
  EXPECT_EQ(w.futex().load_relaxed(), wake_word::asleep_value);
  EXPECT_EQ(w.hand_search(), wake_result::must_wake);
  EXPECT_NE(w.futex().load_relaxed(), wake_word::asleep_value);
  EXPECT_EQ(w.hand_search(), wake_result::not_idle);
  EXPECT_EQ(w.call(), wake_result::not_idle);
  EXPECT_EQ(w.rise(), wake_reason::handed);
}

TEST(WakeWord, a_worker_that_was_called_takes_a_claim_too) {
  wake_word w;
  w.watch();
  EXPECT_TRUE(w.fall_asleep());
  EXPECT_EQ(w.call(), wake_result::must_wake);
  EXPECT_EQ(w.hand_search(), wake_result::noticed);
  EXPECT_EQ(w.rise(), wake_reason::handed);
}

TEST(WakeWord, a_worker_may_rise_by_itself) {
  wake_word w;
  w.watch();
  EXPECT_EQ(w.rise(), wake_reason::by_itself);
  w.watch();
  EXPECT_TRUE(w.fall_asleep());
  EXPECT_EQ(w.rise(), wake_reason::by_itself);
  EXPECT_EQ(w.hand_search(), wake_result::not_idle);
}

}  // namespace
