// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left of a loop is in other workers' sight while its caller computes, also if none of them was idle when it
// began: who has just left another loop looks around before it counts as idle.
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>

#include <weft/par.hpp>
#include <weft/weft.hpp>

#include "sched/ready.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace weft::rt {
namespace {

TEST(loop, is_in_sight_while_its_caller_computes_though_nobody_was_idle) {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 2;
  ASSERT_EQ(weft_start(&config), 0);
  std::atomic<bool> busy{false};
  std::atomic<bool> seen{false};
  auto other = weft::spawn([&] {
    busy = true;
    while (!seen) {
    }
  });
  while (!busy) {  // without a call: this worker must not take it
  }
  EXPECT_TRUE(the().census.quiet());
  bool in_sight = false;
  par::loop(int64_t{0}, int64_t{2},
            [&](int64_t) {
              if (!seen) in_sight = work_in_sight(*self());
              seen = true;
            },
            {par::schedule::balanced});
  EXPECT_TRUE(in_sight);
  other.join();
  EXPECT_EQ(weft_stop(), 0);
}

}  // namespace
}  // namespace weft::rt
