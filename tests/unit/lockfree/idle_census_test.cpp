// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counts of idle_census step by step; the protocol is proved in tests/model.
#include "lockfree/idle_census.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::idle_census;

void become_idle(idle_census& c) {
  c.becomes_searcher();
  c.searcher_gives_up();
}

void expect(const idle_census& c, int idle, int searching) {
  EXPECT_EQ(c.idle_hint(), idle);
  EXPECT_EQ(c.searching_hint(), searching);
}

struct IdleCensus : testing::TestWithParam<bool> {
  idle_census census{GetParam()};
};

TEST_P(IdleCensus, is_quiet_at_first_only_with_a_process_wide_barrier) {
  EXPECT_EQ(census.quiet(), !GetParam());
  EXPECT_TRUE(census.quiet_after_fence());
  expect(census, 0, 0);
}

TEST_P(IdleCensus, is_not_quiet_while_anybody_searches_or_is_idle) {
  census.becomes_searcher();
  expect(census, 0, 1);
  EXPECT_FALSE(census.quiet());
  EXPECT_FALSE(census.quiet_after_fence());
  census.searcher_gives_up();
  expect(census, 1, 0);
  EXPECT_FALSE(census.quiet());
  EXPECT_FALSE(census.quiet_after_fence());
  census.idle_leaves(false);
  EXPECT_EQ(census.quiet(), !GetParam());
}

TEST_P(IdleCensus, claims_one_idle_worker_at_a_time) {
  become_idle(census);
  become_idle(census);
  EXPECT_TRUE(census.claim_wake());
  expect(census, 1, 1);
  EXPECT_FALSE(census.claim_wake());
  EXPECT_TRUE(census.searcher_found());
  EXPECT_TRUE(census.claim_wake());
  expect(census, 0, 1);
}

TEST_P(IdleCensus, claims_nobody_when_nobody_is_idle) {
  EXPECT_FALSE(census.claim_wake());
  expect(census, 0, 0);
}

TEST_P(IdleCensus, only_the_last_searcher_wakes_another_and_only_if_one_is_idle) {
  census.becomes_searcher();
  census.becomes_searcher();
  EXPECT_FALSE(census.searcher_found());
  EXPECT_FALSE(census.searcher_found());
  become_idle(census);
  census.becomes_searcher();
  EXPECT_TRUE(census.searcher_found());
  expect(census, 1, 0);
}

TEST_P(IdleCensus, leaving_as_a_searcher_keeps_others_from_claiming) {
  become_idle(census);
  become_idle(census);
  census.idle_leaves(true);
  expect(census, 1, 1);
  EXPECT_FALSE(census.claim_wake());
}

TEST_P(IdleCensus, a_claim_on_a_worker_that_left_is_given_back) {
  become_idle(census);
  EXPECT_TRUE(census.claim_wake());
  census.idle_leaves(false);
  expect(census, -1, 1);
  EXPECT_FALSE(census.claim_wake());
  EXPECT_FALSE(census.claim_missed());
  expect(census, 0, 0);
}

TEST_P(IdleCensus, a_claim_stands_when_the_worker_that_left_is_back) {
  become_idle(census);
  EXPECT_TRUE(census.claim_wake());
  census.idle_leaves(true);
  census.searcher_gives_up();
  EXPECT_TRUE(census.claim_missed());
  expect(census, 0, 1);
}

TEST_P(IdleCensus, counts_many) {
  for (int i = 0; i < 1024; ++i) become_idle(census);
  expect(census, 1024, 0);
  for (int i = 0; i < 1024; ++i) census.idle_leaves(true);
  expect(census, 0, 1024);
}

INSTANTIATE_TEST_SUITE_P(modes, IdleCensus, testing::Bool(),
                         [](const auto& p) { return p.param ? "symmetric" : "asymmetric"; });

}  // namespace
