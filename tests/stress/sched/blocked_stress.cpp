// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A million tasks blocked at the same time, each on a guarded stack of its own, all woken and
// joined.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"

namespace weft::rt {
namespace {

constexpr int many = build::tsan ? 2'000 : build::asan ? 10'000 : 1'000'000;

struct crowd {
  std::atomic<int> blocked{0};
  std::atomic<int> woken{0};
};

void* block(void* arg) {
  auto* c = static_cast<crowd*>(arg);
  ++c->blocked;
  EXPECT_EQ(weft_task_suspend(), 0);
  ++c->woken;
  return nullptr;
}

uint64_t stacks_live() {
  weft_stats_t s{};
  s.size = sizeof s;
  EXPECT_EQ(weft_stats_read(&s), 0);
  return s.stacks_live;
}

void run(uint32_t workers, int count) {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = workers;
  config.stack_bytes = std::size_t{64} * 1024;
  ASSERT_EQ(weft_start(&config), 0);
  crowd c;
  std::vector<weft_task_t> tasks(count);
  ASSERT_EQ(weft_task_spawn_many(block, &c, 0, tasks.size(), tasks.data()), 0);
  while (c.blocked < count) ASSERT_EQ(weft_task_yield(), 0);
  EXPECT_GE(stacks_live() + workers, static_cast<uint64_t>(count));
  EXPECT_EQ(c.woken, 0);
  for (weft_task_t t : tasks) ASSERT_EQ(weft_task_resume(t), 0);
  ASSERT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), 0);
  EXPECT_EQ(c.woken, count);
  EXPECT_EQ(weft_stop(), 0);
}

TEST(blocked_stress, a_million_tasks_wait_on_two_workers) { run(2, many); }

TEST(blocked_stress, many_tasks_wait_on_one_worker) { run(1, many / 10); }

}  // namespace
}  // namespace weft::rt
