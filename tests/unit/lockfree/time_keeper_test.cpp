// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keeper's word: one keeper at a time, with its alarm; and the nudge of the wake word.
#include "lockfree/time_keeper.hpp"

#include <gtest/gtest.h>

#include "lockfree/wake_word.hpp"

namespace weft::rt {
namespace {

TEST(time_keeper, one_keeps_at_a_time) {
  time_keeper k;
  EXPECT_TRUE(k.vacant());
  EXPECT_EQ(k.look().who, time_keeper::nobody);
  EXPECT_TRUE(k.become(3));
  EXPECT_FALSE(k.become(4));
  EXPECT_FALSE(k.become(3));
  EXPECT_FALSE(k.vacant());
  EXPECT_EQ(k.look().who, 3u);
  EXPECT_EQ(k.look().alarm, time_keeper::never);
  k.resign();
  EXPECT_TRUE(k.vacant());
  EXPECT_TRUE(k.become(0));
  EXPECT_EQ(k.look().who, 0u);
}

TEST(time_keeper, every_tick_fits_beside_every_worker) {
  time_keeper k;
  ASSERT_TRUE(k.become(1023));
  for (const int64_t tick : {int64_t{0}, int64_t{1}, int64_t{1} << 52, time_keeper::never - 1}) {
    k.set_alarm(1023, tick);
    EXPECT_EQ(k.look().who, 1023u);
    EXPECT_EQ(k.look().alarm, tick);
  }
}

TEST(time_keeper, a_nudge_reaches_who_sleeps_and_leaves_it_idle) {
  wake_word w;
  EXPECT_EQ(w.nudge(), wake_result::not_idle);
  w.watch();
  EXPECT_EQ(w.nudge(), wake_result::noticed);
  ASSERT_TRUE(w.fall_asleep());
  EXPECT_TRUE(w.is_asleep());
  EXPECT_EQ(w.nudge(), wake_result::must_wake);
  EXPECT_FALSE(w.is_asleep());
  EXPECT_FALSE(w.is_notified());
  ASSERT_TRUE(w.fall_asleep()) << "it may sleep again";
  w.stir();
  EXPECT_FALSE(w.is_asleep());
  ASSERT_TRUE(w.fall_asleep());
  EXPECT_EQ(w.call(), wake_result::must_wake);
  w.stir();
  EXPECT_TRUE(w.is_notified()) << "a notice is not lost";
  EXPECT_EQ(w.nudge(), wake_result::not_idle);
  EXPECT_EQ(w.rise(), wake_reason::called);
}

}  // namespace
}  // namespace weft::rt
