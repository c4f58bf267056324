// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether others are told of a loop: of one that was long the last time at once, of one that is
// over at once never.
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>

#include <weft/weft.hpp>

#include "arch/cpu.hpp"
#include "par/loop.hpp"
#include "par/pace.hpp"
#include "sched/self.hpp"
#include "sched/worker.hpp"
#include "support/two_workers.hpp"

namespace weft::rt {
namespace {

// Who begins an iteration, and, if they meet, waits there for who begins the other one.
struct two_iterations {
  loop_plan plan;
  const task* caller = self()->current.get();
  bool meet;
  std::atomic<uint64_t> begun{0};
  std::atomic<bool> by_others{false};

  explicit two_iterations(bool they_meet) : meet(they_meet) {
    plan.count = 2;
    plan.key = this;
    plan.run = run;
    plan.argument = this;
  }

  static void run(loop_member& me, void* argument) {
    auto& mine = *static_cast<two_iterations*>(argument);
    for (auto b = me.next(); !b.empty(); b = me.next()) {
      if (self()->current.get() != mine.caller) mine.by_others = true;
      mine.begun += b.last - b.first;
      while (mine.meet && mine.begun != 2) std::this_thread::yield();
    }
  }
};

class loop : public test::two_workers {};

// What an iteration took is never more than what all of the loop took, and of that the test has its
// own clock: where the system took the processor away meanwhile, nothing is said of that one.
TEST_F(loop, that_is_over_at_once_is_run_by_its_caller_alone) {
  weft::spawn([] {
    int quick = 0;
    for (int tries = 0; quick < 100; ++tries) {
      ASSERT_LT(tries, 100'000);
      two_iterations l(false);
      pace::learn(l.plan.key, 1);
      const uint64_t from = arch::cycle_count();
      ASSERT_EQ(run_loop(l.plan), 0);
      const uint64_t took = arch::cycle_count() - from;
      EXPECT_EQ(l.begun, 2u);
      if (static_cast<double>(2 * took) >= pace::awake_steps * pace::step()) continue;
      ++quick;
      EXPECT_FALSE(l.by_others);
    }
  }).join();
}

TEST_F(loop, that_was_long_the_last_time_is_told_before_it_begins) {
  weft::spawn([] {
    two_iterations l(true);
    pace::learn(l.plan.key, 1e9);
    ASSERT_EQ(run_loop(l.plan), 0);
    EXPECT_TRUE(l.by_others);
  }).join();
}

}  // namespace
}  // namespace weft::rt
