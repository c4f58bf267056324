// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a worker whose task polls by yielding may nap.
#include "sched/poll_watch.hpp"

#include <gtest/gtest.h>

namespace weft::rt {
namespace {

constexpr int64_t us = 1'000;
constexpr int64_t spin = 50 * us;
constexpr int64_t patience = poll_watch::watches * spin;

// Yields in vain, so often.
void yield(poll_watch& p, uint32_t times) {
  for (uint32_t i = 0; i < times; ++i) (void)p.yielded();
}

// The same until there are many, once more.
void yield_often(poll_watch& p) {
  yield(p, poll_watch::many);
  EXPECT_TRUE(p.makes_many());
}

TEST(poll_watch, some_of_the_yields_look_at_the_clock_and_few_of_these_make_many) {
  poll_watch p;
  uint32_t some = 0;
  uint32_t many = 0;
  for (uint32_t i = 0; i < 3 * poll_watch::many; ++i) {
    if (!p.yielded()) continue;
    ++some;
    many += p.makes_many() ? 1 : 0;
  }
  EXPECT_EQ(some, 3 * poll_watch::many / poll_watch::some);
  EXPECT_EQ(many, 3u);
}

TEST(poll_watch, the_first_nap_comes_after_many_watches_of_an_idle_worker) {
  poll_watch p;
  yield_often(p);
  EXPECT_FALSE(p.may_nap(0, spin));
  yield_often(p);
  EXPECT_FALSE(p.may_nap(patience - 1, spin));
  yield_often(p);
  EXPECT_TRUE(p.may_nap(patience + 20, spin));
}

TEST(poll_watch, where_idle_workers_do_not_watch_it_comes_after_many_yields) {
  poll_watch p;
  yield_often(p);
  EXPECT_TRUE(p.may_nap(7 * us, 0));
}

TEST(poll_watch, while_others_are_idle_many_yields_lie_between_two_naps) {
  poll_watch p;
  yield_often(p);
  EXPECT_FALSE(p.may_nap(0, spin));
  int64_t now = patience;
  for (int naps = 0; naps < 3; ++naps) {
    yield_often(p);
    EXPECT_TRUE(p.may_nap(now, spin));
    now += 100 * us;
    p.napped(now, false);
  }
}

TEST(poll_watch, while_others_are_up_the_next_nap_is_as_far_away_as_the_first) {
  poll_watch p;
  yield_often(p);
  EXPECT_FALSE(p.may_nap(0, spin));
  yield_often(p);
  EXPECT_TRUE(p.may_nap(patience, spin));
  p.napped(patience + 100 * us, true);
  yield_often(p);
  EXPECT_FALSE(p.may_nap(2 * patience, spin));
  yield_often(p);
  EXPECT_TRUE(p.may_nap(2 * patience + 100 * us, spin));
}

TEST(poll_watch, a_poll_that_begins_is_not_made_to_pay_for_those_before) {
  poll_watch p;
  yield_often(p);
  EXPECT_FALSE(p.may_nap(0, spin));
  yield(p, poll_watch::many - 1);
  p.begin();
  yield_often(p);
  EXPECT_FALSE(p.may_nap(10 * patience, spin));
}

TEST(poll_watch, nor_is_one_whose_thousandth_yield_found_something_else_to_look_at) {
  poll_watch p;
  yield_often(p);
  EXPECT_FALSE(p.may_nap(0, spin));
  p.begin();
  yield_often(p);  // and asks for no nap
  yield_often(p);
  EXPECT_FALSE(p.may_nap(10 * patience, spin));
}

}  // namespace
}  // namespace weft::rt
