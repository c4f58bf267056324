// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timer slack is small inside a scope, and what it was before after it.
#include "os/timer_slack.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>

namespace weft::rt::os {
namespace {

TEST(timer_slack, is_put_back_as_it_was) {
  if (::prctl(PR_SET_TIMERSLACK, 77'000, 0, 0, 0) != 0) GTEST_SKIP() << "no timer slack here";
  {
    const exact_timers exact;
    EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), 1);
    const exact_timers inner;
    EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), 1);
  }
  EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), 77'000);
}

}  // namespace
}  // namespace weft::rt::os
