// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared pool that changes from one worker's to all workers' while tasks come from everywhere:
// none is lost, and each maker's first tasks are taken first.
// WEFT_TEST_AT_WORKERS WEFT_TEST_AT_SYMMETRIC
#include <array>
#include <atomic>
#include <cerrno>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"
#include "support/pools.hpp"

namespace weft::test {
namespace {

constexpr int rounds = rt::build::tsan ? 15 : 150;
constexpr int each = 200;
constexpr int makers = 3;

struct maker {
  struct made {
    maker* by;
    int number;
  };
  weft_pool_t pool = 0;
  std::array<made, each> tasks;
  std::array<int, each> ran{};  // plain: a thread sanitizer sees if a task runs twice at once
  std::atomic<int> taken{0};    // by the only worker that serves the pool, so in order
  std::atomic<int> wrong{0};
  std::atomic<int>* left = nullptr;
  std::atomic<bool>* alone = nullptr;

  static void* run(void* arg) {
    const made& t = *static_cast<made*>(arg);
    ++t.by->ran[static_cast<std::size_t>(t.number)];
    const int before = t.by->taken.fetch_add(1, std::memory_order_relaxed);
    if (t.by->alone->load(std::memory_order_relaxed) && before != t.number) ++t.by->wrong;
    t.by->left->fetch_sub(1, std::memory_order_release);
    return nullptr;
  }
  void make() {
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.worker = pool;
    for (int i = 0; i < each; ++i) {
      tasks[static_cast<std::size_t>(i)] = {this, i};
      if (weft_task_spawn_with(run, &tasks[static_cast<std::size_t>(i)], &how, nullptr) != 0)
        ++wrong;
    }
  }
  static void* make_all(void* arg) {
    static_cast<maker*>(arg)->make();
    return nullptr;
  }
};

// One round: the first maker is a task of the first server, the second a task anywhere, the third a
// thread outside.
void fill_and_empty(int round) {
  const uint32_t workers = weft_worker_count();
  const bool one_server = round % 3 == 0 || workers == 1;
  weft_pool_t pool = 0;
  ASSERT_EQ(weft_pool_create(nullptr, &pool), 0);
  const weft_scheduler_t s = scheduler_of(pool);
  const uint32_t first = static_cast<uint32_t>(round) % workers;
  ASSERT_EQ(weft_worker_set_scheduler(first, s), 0);
  std::atomic<int> left{makers * each};
  std::atomic<bool> alone{one_server};
  std::array<maker, makers> all;
  for (maker& m : all) {
    m.pool = pool;
    m.left = &left;
    m.alone = &alone;
  }
  std::thread outside([&] { all[2].make(); });
  weft_spawn_t there = WEFT_SPAWN_INIT;
  there.worker = first;
  weft_task_t inside[2] = {};
  ASSERT_EQ(weft_task_spawn_with(maker::make_all, &all[0], &there, &inside[0]), 0);
  ASSERT_EQ(weft_task_spawn(maker::make_all, &all[1], &inside[1]), 0);
  for (uint32_t w = 0; w < workers && !one_server; ++w)
    ASSERT_EQ(weft_worker_set_scheduler(w, s), 0);
  for (weft_task_t t : inside) ASSERT_EQ(weft_task_join(t, nullptr), 0);
  while (left.load(std::memory_order_acquire) > 0) weft_task_yield();
  outside.join();
  for (maker& m : all) {
    EXPECT_EQ(m.wrong.load(), 0) << "in round " << round;
    for (const int n : m.ran) EXPECT_EQ(n, 1) << "in round " << round;
  }
  for (uint32_t w = 0; w < workers; ++w) ASSERT_EQ(weft_worker_set_scheduler(w, nullptr), 0);
  ASSERT_EQ(weft_scheduler_free(s), 0);
  while (weft_pool_free(pool) == -EBUSY) weft_task_yield();
}

TEST(pools_stress, a_shared_pool_loses_its_owner) {
  ASSERT_EQ(weft_start(nullptr), 0);
  for (int round = 0; round < rounds && !testing::Test::HasFatalFailure(); ++round)
    fill_and_empty(round);
  ASSERT_EQ(weft_stop(), 0);
}

}  // namespace
}  // namespace weft::test
