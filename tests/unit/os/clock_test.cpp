// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock runs forward and agrees with the system's monotonic clock.
#include "os/clock.hpp"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>

namespace weft::rt::os {
namespace {

TEST(clock, never_goes_back) {
  std::int64_t before = monotonic_ns();
  for (int i = 0; i < 10000; ++i) {
    const std::int64_t now = monotonic_ns();
    ASSERT_GE(now, before);
    before = now;
  }
}

TEST(clock, lies_between_two_readings_of_the_steady_clock) {
  auto steady_ns = [] {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::int64_t{std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
  };
  const std::int64_t before = steady_ns();
  const std::int64_t now = monotonic_ns();
  EXPECT_LE(before, now);
  EXPECT_LE(now, steady_ns());
}

}  // namespace
}  // namespace weft::rt::os
