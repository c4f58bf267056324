// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows from the processors and quotas that a process has, by files and masks that are made
// up.
#include "boot/follow.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <weft/weft.h>

#include "conf/read.hpp"
#include "os/cpus.hpp"
#include "support/pools.hpp"

namespace weft::rt::boot {
namespace {

namespace fs = std::filesystem;
using numbers = std::vector<uint32_t>;

os::cpu_set cpus(const char* list) {
  os::cpu_set out;
  EXPECT_TRUE(os::add_cpu_list(list, out));
  return out;
}

// Four workers of a machine with two sockets of two cores, in a control group.
class follow : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/weft-follow-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    root_ = name;
    fs::create_directories(root_ / "proc/self");
    fs::create_directories(root_ / "sys/fs/cgroup/a/b");
    write("proc/self/cgroup", "0::/a/b\n");
    write("proc/self/mountinfo",
          "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void TearDown() override {
    if (weft_worker_count() != 0) {
      EXPECT_EQ(weft_stop(), 0);
    }
    unsetenv("WEFT_TOPOLOGY");
    fs::remove_all(root_);
  }
  void write(const char* path, const char* text) { std::ofstream(root_ / path) << text; }
  void quota(const char* text) { write("sys/fs/cgroup/a/cpu.max", text); }

  // False: there is no hwloc here.
  bool start(weft_main_mode_t main = WEFT_MAIN_WORKER) {
    setenv("WEFT_TOPOLOGY", "pack:2 core:2 pu:1", 1);
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = 4;
    config.main_mode = static_cast<uint32_t>(main);
    return weft_start(&config) == 0;
  }
  void look(const char* mask) const { follow_once(root_.c_str(), cpus(mask), {cpus("0-3"), 4}); }
  static numbers enabled() {
    numbers out;
    for (uint32_t w = 0; w < weft_worker_count(); ++w)
      if (weft_worker_is_enabled(w) == 1) out.push_back(w);
    return out;
  }

  fs::path root_;
};

#define START(...) \
  if (!start(__VA_ARGS__)) GTEST_SKIP() << "no libhwloc.so.15 for this processor"

TEST(workers_for, are_as_many_as_processors_or_in_proportion) {
  const struct {
    uint32_t workers, at_start, now, expected;
  } rows[] = {{8, 8, 8, 8}, {8, 8, 3, 3}, {8, 8, 12, 8}, {2, 8, 4, 2},   {2, 8, 1, 1},
              {8, 8, 0, 1}, {7, 2, 2, 7}, {7, 2, 1, 4},  {64, 2, 1, 32}, {1, 1, 1, 1}};
  for (const auto& r : rows) {
    EXPECT_EQ(workers_for(r.workers, r.at_start, r.now), r.expected)
        << r.workers << " on " << r.at_start << ", now " << r.now;
  }
}

TEST_F(follow, a_quota_limits_the_workers_at_the_start) {
  quota("150000 100000\n");
  conf::values v;
  conf::error why;
  const char* const none[] = {nullptr};
  ASSERT_EQ(conf::read_from(none, os::usable_cpus_from(root_.c_str(), 8), v, why),
            conf::result::ok);
  EXPECT_EQ(v.workers.value, 2u);
  EXPECT_FALSE(v.follow_cpus.value);
}

TEST_F(follow, workers_go_and_come_back_with_the_quota) {
  START();
  quota("max 100000\n");
  look("0-3");
  EXPECT_EQ(enabled(), (numbers{0, 1, 2, 3}));
  quota("200000 100000\n");
  look("0-3");
  EXPECT_EQ(enabled(), (numbers{0, 1}));
  quota("50000 100000\n");
  look("0-3");
  EXPECT_EQ(enabled(), (numbers{0}));
  quota("300000 100000\n");
  look("0-3");
  EXPECT_EQ(enabled(), (numbers{0, 1, 2}));
  quota("max 100000\n");
  look("0-3");
  EXPECT_EQ(enabled(), (numbers{0, 1, 2, 3}));
}

TEST_F(follow, workers_without_a_processor_are_the_ones_that_go) {
  START(WEFT_MAIN_GUEST);
  look("1,3");
  EXPECT_EQ(enabled(), (numbers{1, 3}));
  look("2");
  EXPECT_EQ(enabled(), (numbers{2}));
  quota("100000 100000\n");
  look("2-3");
  EXPECT_EQ(enabled(), (numbers{2})) << "both count";
  look("5-6");
  EXPECT_EQ(enabled(), (numbers{0})) << "none has its own: one moves";
  quota("max 100000\n");
  look("0-3");
  EXPECT_EQ(enabled(), (numbers{0, 1, 2, 3}));
}

TEST_F(follow, the_program_s_own_thread_is_the_last_to_go) {
  START();
  look("2-3");
  EXPECT_EQ(enabled(), (numbers{0, 2})) << "it runs anyway";
}

TEST_F(follow, what_the_program_disabled_stays_so) {
  START();
  EXPECT_EQ(weft_worker_disable(1), 0);
  look("0-1");
  EXPECT_EQ(enabled(), (numbers{0, 2})) << "another takes the place of one that may not";
  EXPECT_EQ(weft_worker_disable(0), 0);
  EXPECT_EQ(enabled(), (numbers{2, 3}));
  EXPECT_EQ(weft_worker_disable(2), 0);
  EXPECT_EQ(weft_worker_disable(3), -EBUSY);
  EXPECT_EQ(enabled(), (numbers{3}));
  EXPECT_EQ(weft_worker_enable(1), 0);
  EXPECT_EQ(enabled(), (numbers{1, 3})) << "two may";
  EXPECT_EQ(weft_worker_enable(0), 0);
  EXPECT_EQ(enabled(), (numbers{0, 1})) << "and these go first";
  look("0-3");
  EXPECT_EQ(enabled(), (numbers{0, 1, 3}));
  EXPECT_EQ(weft_worker_remove(3, 0), 0);
  EXPECT_EQ(enabled(), (numbers{0, 1}));
  EXPECT_EQ(weft_worker_add(3), 0);
  EXPECT_EQ(enabled(), (numbers{0, 1, 3}));
}

TEST_F(follow, who_serves_a_pool_stays) {
  START();
  weft_pool_t pool = 0;
  ASSERT_EQ(weft_pool_create(nullptr, &pool), 0);
  const weft_scheduler_t scheduler = test::scheduler_of(pool);
  ASSERT_NE(scheduler, nullptr);
  look("0-1");
  EXPECT_EQ(enabled(), (numbers{0, 1}));
  EXPECT_EQ(weft_worker_set_scheduler(3, scheduler), 0);
  const auto nothing = +[](void*) -> void* { return nullptr; };
  weft_spawn_t how = WEFT_SPAWN_INIT;
  weft_task_t t = nullptr;
  how.worker = 3;
  ASSERT_EQ(weft_task_spawn_with(nothing, nullptr, &how, &t), 0);
  while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();  // it has followed the order
  look("0-1");
  EXPECT_EQ(enabled(), (numbers{0, 1, 3})) << "tasks may wait for it";
  how.worker = pool;
  ASSERT_EQ(weft_task_spawn_with(nothing, nullptr, &how, &t), 0);
  EXPECT_EQ(weft_task_join(t, nullptr), 0);
  EXPECT_EQ(weft_scheduler_free(scheduler), 0);
}

TEST_F(follow, who_is_away_and_gets_a_scheduler_comes_back) {
  START();
  static std::atomic<int> ran;
  ran = 0;
  weft_pool_t pool = 0;
  ASSERT_EQ(weft_pool_create(nullptr, &pool), 0);
  const weft_scheduler_t scheduler = test::scheduler_of(pool);
  look("0-1");
  EXPECT_EQ(enabled(), (numbers{0, 1}));
  EXPECT_EQ(weft_worker_set_scheduler(3, scheduler), 0);
  EXPECT_EQ(weft_scheduler_free(scheduler), 0);
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = pool;
  const auto count = +[](void*) -> void* {
    ++ran;
    return nullptr;
  };
  ASSERT_EQ(weft_task_spawn_with(count, nullptr, &how, nullptr), 0);
  EXPECT_EQ(weft_stop(), 0);
  EXPECT_EQ(ran, 1);
}

TEST_F(follow, tasks_run_where_there_are_processors) {
  START(WEFT_MAIN_GUEST);
  for (const char* mask : {"2", "0", "1,3", "0-3", "3"}) {
    look(mask);
    const auto count = +[](void* ran) -> void* {
      weft_task_yield();
      ++*static_cast<std::atomic<int>*>(ran);
      return nullptr;
    };
    std::atomic<int> ran{0};
    std::vector<weft_task_t> tasks(100);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      weft_spawn_t how = WEFT_SPAWN_INIT;
      if (i % 3 == 1) how.worker = static_cast<uint32_t>(i % 4);
      if (i % 3 == 2) how.worker = WEFT_SHEPHERD(i % weft_shepherd_count());
      ASSERT_EQ(weft_task_spawn_with(count, &ran, &how, &tasks[i]), 0);
    }
    for (const weft_task_t t : tasks) EXPECT_EQ(weft_task_join(t, nullptr), 0);
    EXPECT_EQ(ran, 100);
  }
}

}  // namespace
}  // namespace weft::rt::boot
