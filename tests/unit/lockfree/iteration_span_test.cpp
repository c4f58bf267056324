// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taking from a span at both ends; the races live in tests/model.
#include "lockfree/iteration_span.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::iteration_span;

void expect_run(iteration_span::run r, std::uint64_t first, std::uint64_t last) {
  EXPECT_EQ(r.first, first);
  EXPECT_EQ(r.last, last);
}

TEST(IterationSpan, is_empty_at_first) {
  iteration_span s;
  EXPECT_TRUE(s.take_front(1).empty());
  EXPECT_TRUE(s.take_back_half().empty());
  EXPECT_TRUE(s.take_all().empty());
  EXPECT_EQ(s.left_hint(), 0u);
}

TEST(IterationSpan, gives_no_more_than_there_is_at_the_front) {
  iteration_span s;
  s.put({3, 10});
  expect_run(s.take_front(2), 3, 5);
  EXPECT_EQ(s.left_hint(), 5u);
  expect_run(s.take_front(9), 5, 10);
  EXPECT_TRUE(s.take_front(1).empty());
}

TEST(IterationSpan, gives_the_later_half_rounded_up_at_the_back) {
  iteration_span s;
  s.put({0, 5});
  expect_run(s.take_back_half(), 2, 5);
  expect_run(s.take_back_half(), 1, 2);
  expect_run(s.take_back_half(), 0, 1);
  EXPECT_TRUE(s.take_back_half().empty());
}

TEST(IterationSpan, is_cut_where_a_line_begins_unless_that_changes_much) {
  iteration_span s;
  s.put({1, 1000});
  expect_run(s.take_front(50), 1, 51);
  expect_run(s.take_front(100), 51, 144);
  expect_run(s.take_back_half(), 560, 1000);
  expect_run(s.take_front(415), 144, 544);
  expect_run(s.take_front(16), 544, 560);
  EXPECT_TRUE(s.take_front(1).empty());
}

TEST(IterationSpan, holds_as_many_as_its_halves_can_count) {
  iteration_span s;
  s.put({0, iteration_span::most});
  expect_run(s.take_front(1), 0, 1);
  EXPECT_EQ(s.left_hint(), iteration_span::most - 1);
  expect_run(s.take_all(), 1, iteration_span::most);
}

}  // namespace
