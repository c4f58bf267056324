// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timers armed on one worker and cancelled on another, sleepers among tasks that compute: all
// counts add up. WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"
#include "sched/timer.hpp"

namespace weft::rt {
namespace {

constexpr int rounds = build::tsan ? 100 : build::asan ? 500 : 3'000;
constexpr int task_count = 32;

class dice {
 public:
  explicit dice(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u) {}
  int64_t below(int64_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<int64_t>(state_ >> 33) % n;
  }

 private:
  uint64_t state_;
};

// Plain memory beside the timer, so that a thread sanitizer sees whether the order holds.
struct alarm : timer {
  int given = 0;
  int rung = 0;

  static void ring(timer& t) noexcept {
    auto& a = static_cast<alarm&>(t);
    a.rung = a.given;
  }
};

struct totals {
  std::atomic<uint64_t> next{1};
  std::atomic<int64_t> rung{0};
  std::atomic<int64_t> cancelled{0};
  std::atomic<int64_t> early{0};
};

// What a task may do between arming and cancelling.
void pass_time(dice& d) {
  switch (d.below(4)) {
    case 0:
      EXPECT_EQ(weft_task_yield(), 0);
      break;
    case 1:
      EXPECT_EQ(weft_task_sleep_for(d.below(60'000)), 0);
      break;
    case 2: {
      const auto target = static_cast<uint32_t>(d.below(weft_worker_count()));
      const int moved = weft_task_migrate(target);
      EXPECT_TRUE(moved == 0 || moved == -EDEADLK) << moved;  // called on main's own stack
      break;
    }
    default: {
      const int64_t until = weft_time_now_ns() + d.below(20'000);
      while (weft_time_now_ns() < until) {
      }
    }
  }
}

void* arms_and_cancels(void* arg) {
  auto& all = *static_cast<totals*>(arg);
  dice d(all.next.fetch_add(1));
  for (int round = 1; round <= rounds; ++round) {
    alarm a;
    a.given = round;
    const int64_t deadline_ns = weft_time_now_ns() + d.below(50'000);
    arm(a, deadline_ns, alarm::ring);
    pass_time(d);
    if (cancel(a)) {
      EXPECT_EQ(a.rung, 0);
      all.cancelled.fetch_add(1);
    } else {
      EXPECT_EQ(a.rung, round);
      if (weft_time_now_ns() < deadline_ns) all.early.fetch_add(1);
      all.rung.fetch_add(1);
    }
  }
  return nullptr;
}

TEST(timers_stress, each_timer_rings_or_is_cancelled_wherever_its_task_goes) {
  ASSERT_EQ(weft_start(nullptr), 0);
  totals all;
  std::vector<weft_task_t> tasks(task_count);
  ASSERT_EQ(weft_task_spawn_many(arms_and_cancels, &all, 0, tasks.size(), tasks.data()), 0);
  ASSERT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), 0);
  EXPECT_EQ(all.rung + all.cancelled, int64_t{rounds} * task_count);
  EXPECT_EQ(all.early, 0);
  RecordProperty("rung", std::to_string(all.rung));
  RecordProperty("cancelled", std::to_string(all.cancelled));
  EXPECT_EQ(weft_stop(), 0);
}

void* sleeps_often(void* arg) {
  auto& all = *static_cast<totals*>(arg);
  dice d(all.next.fetch_add(1));
  for (int round = 0; round < rounds / 10; ++round) {
    const int64_t deadline_ns = weft_time_now_ns() + d.below(300'000);
    EXPECT_EQ(weft_task_sleep_until(deadline_ns), 0);
    if (weft_time_now_ns() < deadline_ns) all.early.fetch_add(1);
    all.rung.fetch_add(1);
  }
  return nullptr;
}

// Spawned from a thread outside, among threads outside that sleep too, so that workers come and go.
TEST(timers_stress, all_sleepers_get_up_while_workers_come_and_go) {
  weft_config_t config{};
  config.size = sizeof config;
  config.main_mode = WEFT_MAIN_GUEST;
  ASSERT_EQ(weft_start(&config), 0);
  totals all;
  std::vector<weft_task_t> tasks(task_count);
  ASSERT_EQ(weft_task_spawn_many(sleeps_often, &all, 0, tasks.size(), tasks.data()), 0);
  constexpr int outside = 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < outside; ++i) threads.emplace_back([&] { sleeps_often(&all); });
  ASSERT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), 0);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(all.rung, int64_t{rounds / 10} * (task_count + outside));
  EXPECT_EQ(all.early, 0);
  EXPECT_EQ(weft_stop(), 0);
}

}  // namespace
}  // namespace weft::rt
