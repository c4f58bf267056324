// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is made when it is used first: where there is no memory it is tried again, and so it is by a
// child that is forked meanwhile. Each test is a process of its own.
#include <cstdlib>
#include <gtest/gtest.h>
#include <qthread/barrier.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

#include "refused_memory.hpp"
#include "support/build.hpp"
#include "support/forked_meanwhile.hpp"

namespace weft::test {
namespace {

class first_use : public testing::Test {
 protected:
  void SetUp() override {
    if (tsan) GTEST_SKIP() << "its memory does not run out";
    if (emulated) GTEST_SKIP() << "such a child of the emulator starts no threads";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

// Whether who asks has the barrier that it was given.
bool has_its_barrier() {
  static char place;
  auto* const mine = reinterpret_cast<qt_barrier_t*>(&place);
  qt_set_barrier(mine);
  return qt_get_barrier() == mine;
}

TEST_F(first_use, of_a_barrier_of_the_callers_is_tried_again) {
  const auto tries = [] {
    refused_memory = 1;
    const bool had_none = !has_its_barrier() && refused_memory == 0;
    _exit(had_none && has_its_barrier() ? 0 : 1);
  };
  EXPECT_EXIT(tries(), testing::ExitedWithCode(0), "");
}

TEST_F(first_use, of_a_barrier_of_the_callers_may_be_while_another_forks) {
  const auto tries = [] {
    std::thread first([] {
      at_memory = [] {
        at_memory = nullptr;
        forks_now = true;
        while (forks_now) sched_yield();
      };
      (void)has_its_barrier();
    });
    while (!forks_now) sched_yield();
    const bool ok = in_child(has_its_barrier);
    first.join();
    _exit(ok && has_its_barrier() ? 0 : 1);
  };
  EXPECT_EXIT(tries(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weft::test
