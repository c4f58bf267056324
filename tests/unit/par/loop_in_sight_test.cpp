// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left of a loop is in other workers' sight while its caller computes, also if none of them
// was idle when it began: who has just left another loop looks around before it counts as idle.
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>

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

// Both iterations wait for each other, so the other worker has helped, and watches; the next loop
// is told there.
TEST(loop, is_told_in_its_slot_to_a_worker_that_watches) {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 2;
  ASSERT_EQ(weft_start(&config), 0);
  bool told = false;
  weft::spawn([&] {
    for (int tries = 0; tries < 1000 && !told; ++tries) {
      const worker& other = the().workers[1 - self()->index];
      const int64_t patience = weft_time_now_ns() + 1'000'000;
      while (!other.slot.is_open() && weft_time_now_ns() < patience) {
      }
      const bool watched = other.slot.is_open();
      std::atomic<uint32_t> here{0};
      bool queued = true;
      par::loop(int64_t{0}, int64_t{2},
                [&](int64_t) {
                  if (self() != &other)
                    queued = self()->deque.remaining_hint() != 0 || work_in_sight(*self());
                  ++here;
                  while (here != 2) std::this_thread::yield();
                },
                {par::schedule::balanced});
      told = watched && !queued;
    }
  }).join();
  EXPECT_TRUE(told);
  EXPECT_EQ(weft_stop(), 0);
}

}  // namespace
}  // namespace weft::rt
