// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork() while others are inside the pools' locks: the child hangs on none of them, and nor does
// the parent.
// WEFT_TEST_AT_WORKERS
#include <array>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <weft/weft.h>

#include "support/build.hpp"
#include "support/child.hpp"

namespace weft::test {
namespace {

constexpr std::size_t crowd = 2000;
constexpr int forks = tsan ? 20 : sanitized ? 50 : 100;

void* park(void*) {
  if (weft_task_suspend() != 0) std::abort();
  return nullptr;
}

// Takes more descriptors and stacks than a worker's caches hold, and gives them back, by the locks
// of the pools. Ends the process if anything is refused.
void drain_and_fill_the_pools() {
  static thread_local std::vector<weft_task_t> tasks;
  tasks.assign(crowd, nullptr);
  if (weft_task_spawn_many(park, nullptr, 0, crowd, tasks.data()) != 0) std::abort();
  for (weft_task_t t : tasks)
    if (weft_task_resume(t) != 0) std::abort();
  if (weft_task_join_many(tasks.data(), crowd, nullptr) != 0) std::abort();
}

// Uses each lock that the parent may have held. An alarm ends a child that hangs.
void be_a_child(int number) {
  alarm(60);
  if (number % 3 == 0) _exit(0);
  if (number % 3 == 1) {
    execl("/bin/true", "true", nullptr);
    _exit(1);
  }
  weft_slot_t slot = 0;
  if (weft_slot_create(nullptr, &slot) != 0 || weft_slot_delete(slot) != 0) _exit(2);
  drain_and_fill_the_pools();
  _exit(weft_stop() == 0 ? 0 : 3);
}

TEST(fork_stress, nobody_hangs_on_a_lock_that_was_held) {
  weft_config_t config{};
  config.size = sizeof config;
  config.main_mode = WEFT_MAIN_GUEST;  // this thread waits for its children
  ASSERT_EQ(weft_start(&config), 0);
  std::atomic<bool> over{false};
  const auto keep_busy = [&over] {
    while (!over) {
      drain_and_fill_the_pools();
      weft_slot_t slot = 0;
      EXPECT_EQ(weft_slot_create(nullptr, &slot), 0);
      EXPECT_EQ(weft_slot_delete(slot), 0);
    }
  };
  std::array<std::thread, 2> foreign{std::thread(keep_busy), std::thread(keep_busy)};
  for (int i = 0; i < forks; ++i) {
    const outcome o = in_child([i] { be_a_child(i); });
    EXPECT_TRUE(o.exited_with(0)) << "child " << i << ": " << o.status << "\n" << o.errors;
  }
  over = true;
  for (std::thread& t : foreign) t.join();
  drain_and_fill_the_pools();
  EXPECT_EQ(weft_stop(), 0);
}

}  // namespace
}  // namespace weft::test
