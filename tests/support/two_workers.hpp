// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests that run each with a runtime of two workers, on one of which the test is.
#pragma once

#include <gtest/gtest.h>

#include <weft/weft.h>

namespace weft::test {

class two_workers : public ::testing::Test {
 protected:
  void SetUp() override {
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = 2;
    ASSERT_EQ(weft_start(&config), 0);
  }
  void TearDown() override { EXPECT_EQ(weft_stop(), 0); }
};

}  // namespace weft::test
