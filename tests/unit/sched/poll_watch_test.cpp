// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a worker whose task polls by yielding may nap.
#include "sched/poll_watch.hpp"

#include <gtest/gtest.h>

namespace weft::rt {
namespace {

constexpr int64_t us = 1'000;
constexpr int64_t spin = 50 * us;
constexpr int64_t patience = poll_watch::watches * spin;

// Yields in vain until there are many, once more.
void yield_often(poll_watch& p) {
  for (uint32_t i = 1; i < poll_watch::many; ++i) EXPECT_FALSE(p.yielded());
  EXPECT_TRUE(p.yielded());
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
  for (uint32_t i = 1; i < poll_watch::many; ++i) EXPECT_FALSE(p.yielded());
  p.begin();
  yield_often(p);
  EXPECT_FALSE(p.may_nap(10 * patience, spin));
}

}  // namespace
}  // namespace weft::rt
