// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleeping: never too short, in order, in any number, from everywhere. WEFT_TEST_AT_WORKERS
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

constexpr int64_t us = 1'000;
constexpr int64_t ms = 1'000'000;

using sleep_of_tasks = at_workers;

TEST_F(sleep_of_tasks, is_never_too_short) {
  for (const int64_t duration : {int64_t{1}, int64_t{999}, 10 * us, 200 * us, 3 * ms}) {
    const int64_t before = weft_time_now_ns();
    EXPECT_EQ(weft_task_sleep_for(duration), 0);
    EXPECT_GE(weft_time_now_ns() - before, duration);
  }
}

TEST_F(sleep_of_tasks, returns_at_once_where_the_moment_has_passed) {
  const uint64_t parks = stats().parks;
  EXPECT_EQ(weft_task_sleep_for(0), 0);
  EXPECT_EQ(weft_task_sleep_until(0), 0);
  EXPECT_EQ(weft_task_sleep_until(weft_time_now_ns() - ms), 0);
  EXPECT_EQ(stats().parks, parks);
}

TEST_F(sleep_of_tasks, takes_no_negative_time) {
  EXPECT_EQ(weft_task_sleep_for(-1), -EINVAL);
  EXPECT_EQ(weft_task_sleep_until(-1), -EINVAL);
}

TEST_F(sleep_of_tasks, is_refused_to_a_stackless_task) {
  int seen = 0;
  auto body = [&] { seen = weft_task_sleep_for(ms); };
  testing::internal::CaptureStderr();
  join(spawn(body, with_flags(WEFT_SPAWN_STACKLESS)));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("weft_task_sleep"), std::string::npos);
  EXPECT_EQ(seen, -EPERM);
}

// While others ran, all of them were due before the last one was; so this is about never being
// early.
TEST_F(sleep_of_tasks, wakes_all_of_many_and_none_early) {
  const int count = scaled(20'000);
  std::atomic<int> woken{0};
  std::atomic<int> early{0};
  struct body {
    std::atomic<int>& woken;
    std::atomic<int>& early;
    int64_t deadline_ns;
    void operator()() const {
      EXPECT_EQ(weft_task_sleep_until(deadline_ns), 0);
      if (weft_time_now_ns() < deadline_ns) ++early;
      ++woken;
    }
  };
  const int64_t start = weft_time_now_ns();
  std::vector<body> bodies;
  for (int i = 0; i < count; ++i) {
    const int64_t spread = 40 * ms;
    bodies.push_back({woken, early, start + (int64_t{i} * 7919) % spread});
  }
  std::vector<weft_task_t> tasks;
  for (body& b : bodies) tasks.push_back(spawn(b));
  for (weft_task_t t : tasks) join(t);
  EXPECT_EQ(woken, count);
  EXPECT_EQ(early, 0);
}

TEST_F(sleep_of_tasks, may_be_inline_in_a_join) {
  auto child = [] { EXPECT_EQ(weft_task_sleep_for(100 * us), 0); };
  for (int i = 0; i < 20; ++i) join(spawn(child));
}

TEST_F(sleep_of_tasks, works_for_pinned_and_sticky_tasks_too) {
  std::vector<weft_task_t> tasks;
  const uint32_t workers = weft_worker_count();
  auto body = [] {
    const uint32_t here = weft_worker_index();
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(weft_task_sleep_for(50 * us), 0);
      EXPECT_EQ(weft_worker_index(), here);
    }
  };
  for (uint32_t w = 0; w < workers; ++w) {
    weft_spawn_t how = on_worker(w);
    how.flags = WEFT_SPAWN_STICKY;
    tasks.push_back(spawn(body, how));
  }
  for (weft_task_t t : tasks) join(t);
}

TEST_F(sleep_of_tasks, is_for_other_threads_too) {
  std::thread foreign([] {
    const int64_t before = weft_time_now_ns();
    EXPECT_EQ(weft_task_sleep_for(2 * ms), 0);
    EXPECT_GE(weft_time_now_ns() - before, 2 * ms);
    EXPECT_EQ(weft_task_sleep_for(-1), -EINVAL);
  });
  foreign.join();
}

TEST_F(sleep_of_tasks, lets_others_run_meanwhile) {
  std::atomic<bool> stop{false};
  std::atomic<int64_t> turns{0};
  auto yields = [&] {
    while (!stop) {
      ++turns;
      weft_task_yield();
    }
  };
  const weft_task_t t = spawn(yields);
  // Again: on a busy machine the first sleep may be over before this worker has come to anything
  // else.
  for (int sleeps = 0; turns == 0 && sleeps < 500; ++sleeps)
    EXPECT_EQ(weft_task_sleep_for(2 * ms), 0);
  EXPECT_GT(turns, 0);
  stop = true;
  join(t);
}

TEST(sleep, before_start_and_after_stop_is_the_threads_own) {
  const int64_t before = weft_time_now_ns();
  EXPECT_EQ(weft_task_sleep_for(ms), 0);
  EXPECT_GE(weft_time_now_ns() - before, ms);
  EXPECT_EQ(weft_worker_count(), 0u);
  {
    const runtime weft(2);
  }
  EXPECT_EQ(weft_task_sleep_until(weft_time_now_ns() + ms), 0);
  EXPECT_EQ(weft_worker_count(), 0u);
}

TEST(sleep, is_waited_for_by_stop) {
  for (const uint32_t workers : {1u, 2u, 7u}) {
    std::atomic<int> woken{0};
    auto body = [&] {
      EXPECT_EQ(weft_task_sleep_for(5 * ms), 0);
      EXPECT_EQ(weft_task_sleep_for(5 * ms), 0);
      ++woken;
    };
    {
      const runtime weft(workers);
      for (int i = 0; i < 10; ++i)
        ASSERT_EQ(weft_task_spawn(call<decltype(body)>, &body, nullptr), 0);
    }
    EXPECT_EQ(woken, 10);
  }
}

TEST(sleep, is_waited_for_by_a_guest_that_stops) {
  std::atomic<int> woken{0};
  auto body = [&] {
    EXPECT_EQ(weft_task_sleep_for(5 * ms), 0);
    ++woken;
  };
  {
    const runtime weft(2, 0, WEFT_MAIN_GUEST);
    for (int i = 0; i < 10; ++i)
      ASSERT_EQ(weft_task_spawn(call<decltype(body)>, &body, nullptr), 0);
  }
  EXPECT_EQ(woken, 10);
}

TEST(sleep, for_ever_is_abandoned_by_stop) {
  auto until = [] { (void)weft_task_sleep_until(INT64_MAX); };
  auto as_long = [] { (void)weft_task_sleep_for(INT64_MAX); };
  ASSERT_EQ(weft_start(nullptr), 0);
  ASSERT_EQ(weft_task_spawn(call<decltype(until)>, &until, nullptr), 0);
  ASSERT_EQ(weft_task_spawn(call<decltype(as_long)>, &as_long, nullptr), 0);
  EXPECT_EQ(weft_stop(), 2);
}

// The hazard "an owner that does not call must not hide work", for timers: main computes until the
// sleepers, which were armed on its worker, have run elsewhere.
TEST(sleep, of_an_owner_that_computes_is_ended_by_others) {
  const runtime weft(2);
  constexpr int count = 50;
  std::atomic<int> asleep{0};
  std::atomic<int> woken{0};
  auto body = [&] {
    EXPECT_EQ(weft_task_set_sticky(0), 0);  // a sticky one waits for its worker
    ++asleep;
    EXPECT_EQ(weft_task_sleep_for(20 * ms), 0);
    ++woken;
  };
  for (int round = 0; round < 3; ++round) {
    asleep = 0;
    woken = 0;
    std::vector<weft_task_t> tasks;
    for (int i = 0; i < count; ++i) tasks.push_back(spawn(body));
    ASSERT_TRUE(yield_until([&] { return asleep == count; }));
    EXPECT_TRUE(compute_until([&] { return woken == count; }));
    for (weft_task_t t : tasks) join(t);
  }
}

// The same when the timer is armed by a task that another one follows on the same worker, while the
// other workers have been asleep for long.
TEST(sleep, of_a_worker_that_goes_on_with_another_task_is_ended_by_others) {
  const runtime weft(3);
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> woken{0};
    auto sleeps = [&] {
      EXPECT_EQ(weft_task_migrate(WEFT_ANYWHERE), 0);  // it starts here, and may end elsewhere
      EXPECT_EQ(weft_task_sleep_for(3 * ms), 0);
      ++woken;
    };
    auto computes = [&] { EXPECT_TRUE(compute_until([&] { return woken == 1; })); };
    EXPECT_EQ(weft_task_sleep_for(2 * ms), 0);  // the others fall asleep
    const weft_task_t first = spawn(sleeps, on_worker(0));
    const weft_task_t second = spawn(computes, on_worker(0));
    join(second);
    join(first);
  }
}

// The same where what the worker goes on with was on offer to others until then: the other worker
// is asleep, and comes too late for it.
TEST(sleep, of_a_task_that_has_made_another_ready_is_ended_by_others) {
  const runtime weft(2);
  for (int round = 0; round < 50; ++round) {
    weft_semaphore_t ready = WEFT_SEMAPHORE_INIT(0);
    weft_semaphore_t ended = WEFT_SEMAPHORE_INIT(0);
    std::atomic<bool> waits{false};
    std::atomic<bool> slept{false};
    auto computes = [&] {
      waits = true;
      EXPECT_EQ(weft_semaphore_wait(&ready), 0);
      EXPECT_TRUE(compute_until([&] { return slept.load(); }));
      EXPECT_EQ(weft_semaphore_post(&ended, 1), 0);
    };
    auto sleeps = [&] {
      EXPECT_EQ(weft_task_set_sticky(0), 0);
      EXPECT_TRUE(compute_until([&] { return waits.load(); }));
      const int64_t asleep_ns = weft_time_now_ns() + 2 * ms;  // the other worker is then
      EXPECT_TRUE(compute_until([&] { return weft_time_now_ns() >= asleep_ns; }));
      EXPECT_EQ(weft_semaphore_post(&ready, 1), 0);
      EXPECT_EQ(weft_task_sleep_for(3 * ms), 0);
      slept = true;
      EXPECT_EQ(weft_semaphore_post(&ended, 1), 0);
    };
    const weft_task_t second = spawn(computes);
    const weft_task_t first = spawn(sleeps);
    // Not by a join, which would call them: on this stack they could not move to the other worker.
    for (int i = 0; i < 2; ++i) ASSERT_EQ(weft_semaphore_wait(&ended), 0);
    join(first);
    join(second);
  }
}

}  // namespace
}  // namespace weft::test
