// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests of what needs the runtime: includes of this file have it run from before the first test
// on.
#pragma once

#include <gtest/gtest.h>

#include <weft/weft.h>

namespace weft::test {

class started : public ::testing::Environment {
 public:
  void SetUp() override { ASSERT_EQ(weft_start(nullptr), 0); }
  void TearDown() override { EXPECT_EQ(weft_stop(), 0); }
};
inline const auto* const started_for_all = ::testing::AddGlobalTestEnvironment(new started);

}  // namespace weft::test
