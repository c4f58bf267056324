// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a loop are those of the whole loop, wherever others are told of it: so the same
// worker gets the same data each time.
#include "par/shared_loop.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace weft::rt {
namespace {

constexpr uint32_t parts = 3;

loop_plan plan_of(uint64_t count) {
  loop_plan p;
  p.count = count;
  return p;
}

TEST(shared_loop, has_the_same_parts_after_it_began_alone) {
  for (const uint64_t count : {uint64_t{10}, uint64_t{1000}, uint64_t{100'003}}) {
    const loop_plan plan = plan_of(count);
    uint64_t ends[parts];
    shared_loop* const whole = shared_loop::make(plan, 0, parts);
    ASSERT_NE(whole, nullptr);
    uint64_t next = 0;
    for (uint32_t i = 0; i < parts; ++i) {
      const auto b = whole->block_of(whole->at(i).span.take_all());
      EXPECT_EQ(b.first, next);
      next = ends[i] = b.last;
    }
    EXPECT_EQ(next, count);
    whole->release();
    for (const uint64_t from : {uint64_t{1}, ends[0] - 1, ends[0], ends[0] + 1, count - 1}) {
      shared_loop* const rest = shared_loop::make(plan, from, parts);
      ASSERT_NE(rest, nullptr);
      EXPECT_EQ(rest->units, count - from);
      next = from;
      for (uint32_t i = 0; i < parts; ++i) {
        const auto r = rest->at(i).span.take_all();
        EXPECT_EQ(r.empty(), ends[i] <= from) << i;
        if (r.empty()) continue;
        const auto b = rest->block_of(r);
        EXPECT_EQ(b.first, next);
        EXPECT_EQ(b.last, ends[i]);
        next = b.last;
      }
      EXPECT_EQ(next, count);
      rest->release();
    }
  }
}

}  // namespace
}  // namespace weft::rt
