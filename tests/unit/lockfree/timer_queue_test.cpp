// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arm, cancel, take and show on one thread: what each says about the earliest deadline.
#include "lockfree/timer_queue.hpp"

#include <array>
#include <gtest/gtest.h>

namespace weft::rt {
namespace {

void pause(unsigned) { FAIL() << "nobody else is here"; }

TEST(timer_queue, an_arm_says_whether_the_owner_must_show_it) {
  timer_queue q(pause, 0);
  std::array<timer_entry, 4> t;
  EXPECT_EQ(q.next(), timer_queue::never);
  EXPECT_FALSE(q.hidden());
  EXPECT_TRUE(q.arm(t[0], 100));
  EXPECT_TRUE(q.hidden());
  EXPECT_TRUE(q.arm(t[1], 200)) << "the first one is still hidden";
  EXPECT_EQ(q.show(), 100);
  EXPECT_EQ(q.shown(), 100);
  EXPECT_FALSE(q.arm(t[2], 150));
  EXPECT_TRUE(q.arm(t[3], 50));
  EXPECT_EQ(q.next(), 50);
  EXPECT_EQ(q.shown(), 100);
  EXPECT_EQ(q.armed(), 4u);
  for (timer_entry& e : t) EXPECT_TRUE(timer_queue::cancel(e, pause));
  EXPECT_EQ(q.armed(), 0u);
}

TEST(timer_queue, a_cancelled_timer_does_not_fire) {
  timer_queue q(pause, 0);
  timer_entry a;
  timer_entry b;
  (void)q.arm(a, 10);
  (void)q.arm(b, 10);
  EXPECT_TRUE(timer_queue::cancel(a, pause));
  bool more = true;
  EXPECT_EQ(q.take(10, 64, more), &b);
  EXPECT_EQ(b.next, nullptr);
  EXPECT_FALSE(more);
  timer_queue::fired(b);
  EXPECT_FALSE(timer_queue::cancel(b, pause));
  EXPECT_FALSE(timer_queue::cancel(a, pause)) << "it is armed no more";
}

TEST(timer_queue, a_timer_that_has_fired_or_was_cancelled_can_be_armed_again) {
  timer_queue q(pause, 0);
  timer_entry t;
  bool more = false;
  for (int64_t tick = 10; tick < 100; tick += 10) {
    (void)q.arm(t, tick);
    EXPECT_EQ(q.take(tick - 1, 64, more), nullptr);
    EXPECT_EQ(q.take(tick, 64, more), &t);
    timer_queue::fired(t);
    (void)q.arm(t, tick + 5);
    EXPECT_TRUE(timer_queue::cancel(t, pause));
  }
  EXPECT_EQ(q.armed(), 0u);
}

TEST(timer_queue, a_take_is_bounded_and_says_whether_there_is_more) {
  timer_queue q(pause, 0);
  std::array<timer_entry, 10> t;
  for (timer_entry& e : t) (void)q.arm(e, 10);
  bool more = false;
  std::size_t taken = 0;
  for (const bool expected : {true, true, false}) {
    for (wheel_entry* e = q.take(10, 4, more); e != nullptr;) {
      EXPECT_EQ(e, &t[taken++]);
      wheel_entry* next = e->next;
      timer_queue::fired(static_cast<timer_entry&>(*e));
      e = next;
    }
    EXPECT_EQ(more, expected);
  }
  EXPECT_EQ(taken, t.size());
  EXPECT_EQ(q.armed(), 0u);
}

TEST(timer_queue, what_was_shown_stays_shown_and_what_was_not_does_not_become_so) {
  timer_queue q(pause, 0);
  std::array<timer_entry, 3> t;
  bool more = false;
  (void)q.arm(t[0], 10);
  (void)q.show();
  (void)q.arm(t[1], 20);
  EXPECT_EQ(q.take(10, 64, more), &t[0]);
  timer_queue::fired(t[0]);
  EXPECT_EQ(q.shown(), 20) << "who answers for 10 finds 20 when it looks again";
  EXPECT_TRUE(q.arm(t[2], 15));
  EXPECT_EQ(q.shown(), 20);
  EXPECT_TRUE(q.hidden());
  EXPECT_EQ(q.take(15, 64, more), &t[2]);
  EXPECT_EQ(q.shown(), 20);
  EXPECT_FALSE(q.hidden());
  timer_queue::fired(t[2]);
  EXPECT_TRUE(timer_queue::cancel(t[1], pause));
  EXPECT_EQ(q.take(20, 64, more), nullptr);
  EXPECT_EQ(q.shown(), timer_queue::never);
}

}  // namespace
}  // namespace weft::rt
