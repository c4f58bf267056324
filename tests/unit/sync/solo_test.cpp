// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many mutexes may become shared by a barrier each.
#include "sync/solo.hpp"

#include <cerrno>
#include <gtest/gtest.h>

#include <weft/weft.h>

namespace weft::test {
namespace {

// A flow comes while another has it; here it is the same one, which does not wait for itself.
void end_solo(weft_mutex_t& m) {
  EXPECT_EQ(weft_mutex_lock(&m), 0);
  EXPECT_EQ(weft_mutex_lock_until(&m, 1), -ETIMEDOUT);
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
}

TEST(solo, ends_so_often_and_then_is_not_begun_until_the_next_start) {
  ASSERT_EQ(weft_start(nullptr), 0);
  if (rt::solo::forbidden() != 0) {
    EXPECT_EQ(weft_stop(), 0);
    GTEST_SKIP() << "no restartable stores here";
  }
  for (uint32_t i = 0; i < rt::solo::most_ends; ++i) {
    EXPECT_EQ(rt::solo::forbidden(), 0u) << i;
    weft_mutex_t m = WEFT_MUTEX_INIT;
    end_solo(m);
    end_solo(m);  // it is shared: no end more
  }
  EXPECT_NE(rt::solo::forbidden(), 0u);
  weft_mutex_t later = WEFT_MUTEX_INIT;
  end_solo(later);
  EXPECT_EQ(weft_stop(), 0);
  ASSERT_EQ(weft_start(nullptr), 0);
  EXPECT_EQ(rt::solo::forbidden(), 0u);
  EXPECT_EQ(weft_stop(), 0);
}

}  // namespace
}  // namespace weft::test
