// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests that need several shepherds.
#pragma once

#include <cstdlib>

#include "support.hpp"

namespace weft::test {

// Four workers; where there are two processors, two shepherds of two.
class with_shepherds : public testing::Test {
 protected:
  void SetUp() override {
    setenv("WEFT_TOPOLOGY", "flat", 1);
    setenv("WEFT_SHEPHERD", "core", 1);
    setenv("WEFT_BIND", "none", 1);
    ASSERT_EQ(start(), 0);
    last = weft_shepherd_count() - 1;
  }
  void TearDown() override {
    EXPECT_EQ(weft_stop(), 0);
    for (const char* name : {"WEFT_TOPOLOGY", "WEFT_SHEPHERD", "WEFT_BIND"}) unsetenv(name);
  }

  static int start() {
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = 4;
    return weft_start(&config);
  }

  uint32_t last = 0;
};

}  // namespace weft::test
