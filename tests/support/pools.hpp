// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools of the program's own, as tests want them.
#pragma once

#include <gtest/gtest.h>

#include <weft/weft.h>

namespace weft::test {

// A scheduler of one pool, which its maker frees.
inline weft_scheduler_t scheduler_of(const weft_pool_t& pool, void (*released)(void*) = nullptr,
                                     uint32_t flags = 0) {
  weft_scheduler_config_t config{};
  config.size = sizeof config;
  config.pools = &pool;
  config.count = 1;
  config.released = released;
  config.flags = flags;
  weft_scheduler_t s = nullptr;
  EXPECT_EQ(weft_scheduler_create(&config, &s), 0);
  return s;
}

}  // namespace weft::test
