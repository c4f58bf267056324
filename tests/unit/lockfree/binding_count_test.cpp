// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-threaded facts about binding_count; the races live in tests/model.
#include "lockfree/binding_count.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::binding_count;

TEST(BindingCount, none_at_first) {
  const binding_count bound;
  EXPECT_FALSE(bound.any());
}

TEST(BindingCount, each_end_takes_one_whoever_began_it) {
  binding_count bound;
  for (uint32_t by = 0; by < 20; ++by) bound.begin(by);
  for (uint32_t i = 0; i < 20; ++i) {
    EXPECT_TRUE(bound.any()) << i;
    bound.end();
  }
  EXPECT_FALSE(bound.any());
}

}  // namespace
