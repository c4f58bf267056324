// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bursts: a million spawns from one task, from all tasks, and from foreign threads.
// WEFT_TEST_AT_WORKERS
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

using bursts = at_workers;

constexpr int million = scaled(1'000'000);

void* count(void* counter) {
  static_cast<std::atomic<int>*>(counter)->fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

TEST_F(bursts, a_million_spawns_of_one_task_then_a_million_joins) {
  std::atomic<int> ran{0};
  std::vector<weft_task_t> tasks(million);
  for (auto& t : tasks) ASSERT_EQ(weft_task_spawn(count, &ran, &t), 0);
  for (weft_task_t t : tasks) ASSERT_EQ(weft_task_join(t, nullptr), 0);
  EXPECT_EQ(ran, million);
}

TEST_F(bursts, a_million_in_one_call) {
  std::atomic<int> ran{0};
  std::vector<weft_task_t> tasks(million);
  ASSERT_EQ(weft_task_spawn_many(count, &ran, 0, tasks.size(), tasks.data()), 0);
  EXPECT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), 0);
  EXPECT_EQ(ran, million);
}

TEST_F(bursts, a_million_detached_are_all_run_before_stop_returns) {
  std::atomic<int> ran{0};
  for (int i = 0; i < million; ++i) ASSERT_EQ(weft_task_spawn(count, &ran, nullptr), 0);
  EXPECT_EQ(weft_stop(), 0);
  EXPECT_EQ(ran, million);
  ASSERT_EQ(weft_start(nullptr), 0);
}

TEST_F(bursts, a_thousand_tasks_spawn_a_thousand_each) {
  std::atomic<int> ran{0};
  constexpr int each = scaled(1'000'000) / 1000 > 0 ? scaled(1'000'000) / 1000 : 1;
  struct spawner {
    static void* run(void* counter) {
      std::vector<weft_task_t> tasks(each);
      for (auto& t : tasks) EXPECT_EQ(weft_task_spawn(count, counter, &t), 0);
      EXPECT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), 0);
      return nullptr;
    }
  };
  std::vector<weft_task_t> tasks(1000);
  for (auto& t : tasks) ASSERT_EQ(weft_task_spawn(spawner::run, &ran, &t), 0);
  EXPECT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), 0);
  EXPECT_EQ(ran, 1000 * each);
}

TEST_F(bursts, a_million_detached_from_four_foreign_threads) {
  std::atomic<int> ran{0};
  std::vector<std::thread> foreign;
  constexpr int each = million / 4;
  for (int f = 0; f < 4; ++f) {
    foreign.emplace_back([&] {
      for (int i = 0; i < each; ++i) ASSERT_EQ(weft_task_spawn(count, &ran, nullptr), 0);
    });
  }
  EXPECT_TRUE(yield_until([&] { return ran == 4 * each; })) << ran;
  for (auto& f : foreign) f.join();
}

TEST_F(bursts, four_foreign_threads_join_what_they_have_spawned) {
  std::atomic<int> ran{0};
  std::atomic<int> finished{0};
  std::vector<std::thread> foreign;
  constexpr int each = million / 40;
  const weft_task_t main = weft_task_self();
  for (int f = 0; f < 4; ++f) {
    foreign.emplace_back([&] {
      std::vector<weft_task_t> tasks(each);
      for (auto& t : tasks) ASSERT_EQ(weft_task_spawn(count, &ran, &t), 0);
      for (weft_task_t t : tasks) ASSERT_EQ(weft_task_join(t, nullptr), 0);
      if (++finished == 4) {
        EXPECT_EQ(weft_task_resume(main), 0);
      }
    });
  }
  EXPECT_EQ(weft_task_suspend(), 0);
  for (auto& f : foreign) f.join();
  EXPECT_EQ(ran, 4 * each);
}

}  // namespace
}  // namespace weft::test
