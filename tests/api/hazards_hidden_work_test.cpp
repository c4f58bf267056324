// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hidden work: an owner that computes without calling the runtime keeps no work from the others.
// WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <array>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

constexpr int tasks = 1000;

class hazard_an_owner_that_does_not_call_must_not_hide_work
    : public testing::TestWithParam<uint32_t> {
 protected:
  const runtime weft_{GetParam()};
  std::atomic<int> ran_{0};

  void expect_all_run_meanwhile() {
    EXPECT_TRUE(compute_until([this] { return ran_ == tasks; })) << ran_ << " of " << tasks;
  }
  // Two tasks that wake each other: turn() posts the other's semaphore. It hears of some turns that
  // many went before.
  template <class Turn>
  static void take_turns(Turn&& turn) {
    constexpr int many = 2000;
    std::array<weft_semaphore_t, 2> semaphores{};
    for (weft_semaphore_t& s : semaphores) weft_semaphore_init(&s, 0);
    const auto play = [&](std::size_t me) {
      for (int i = 1; i <= scaled(20) * many; ++i) {
        EXPECT_EQ(weft_semaphore_wait(&semaphores[me]), 0);
        turn(semaphores[1 - me], me == 0 && i % many == 0);
      }
    };
    auto first = [&] { play(0); };
    auto second = [&] { play(1); };
    const std::array<weft_task_t, 2> players{spawn(first), spawn(second)};
    EXPECT_EQ(weft_semaphore_post(&semaphores[0], 1), 0);
    for (const weft_task_t t : players) join(t);
  }
  static void* count(void* self) {
    ++*static_cast<std::atomic<int>*>(self);
    return nullptr;
  }
};

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, that_it_has_spawned) {
  for (int i = 0; i < tasks; ++i) ASSERT_EQ(weft_task_spawn(count, &ran_, nullptr), 0);
  expect_all_run_meanwhile();
}

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, that_it_has_spawned_in_one_call) {
  ASSERT_EQ(weft_task_spawn_many(count, &ran_, 0, tasks, nullptr), 0);
  expect_all_run_meanwhile();
}

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, one_task_alone) {
  for (int i = 0; i < scaled(200); ++i) {
    ran_ = 0;
    ASSERT_EQ(weft_task_spawn(count, &ran_, nullptr), 0);
    ASSERT_TRUE(compute_until([this] { return ran_ == 1; }));
  }
}

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, while_the_others_sleep) {
  ASSERT_TRUE(compute_until([] {
    const weft_stats_t s = stats();
    return s.sleeps - s.wakes == GetParam() - 1;
  }));
  for (int i = 0; i < tasks; ++i) ASSERT_EQ(weft_task_spawn(count, &ran_, nullptr), 0);
  expect_all_run_meanwhile();
}

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, that_it_has_woken) {
  if (all_sticky()) GTEST_SKIP() << "such a task resumes where it started";
  std::atomic<int> waiting{0};
  auto waits = [&] {
    ++waiting;
    EXPECT_EQ(weft_task_suspend(), 0);
    ++ran_;
  };
  std::vector<weft_task_t> all;
  for (int i = 0; i < tasks; ++i) all.push_back(spawn(waits));
  ASSERT_TRUE(yield_until([&] { return waiting == tasks; }));
  for (weft_task_t t : all) ASSERT_EQ(weft_task_resume(t), 0);
  expect_all_run_meanwhile();
  for (weft_task_t t : all) join(t);
}

// The task woken last is offered to others only for want of a waker that parks.
TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, one_task_that_it_has_woken) {
  if (all_sticky()) GTEST_SKIP() << "such a task resumes where it started";
  std::atomic<int> suspended{0};
  auto waits = [&] {
    for (;;) {
      ++suspended;
      EXPECT_EQ(weft_task_suspend(), 0);
      if (++ran_ == scaled(200)) return;
    }
  };
  const weft_task_t task = spawn(waits);
  for (int i = 0; i < scaled(200); ++i) {
    ASSERT_TRUE(yield_until([&] { return suspended == i + 1; }));
    ASSERT_EQ(weft_task_resume(task), 0);
    ASSERT_TRUE(compute_until([&] { return ran_ == i + 1; })) << i;
  }
  join(task);
}

// Others that saw it go from task to task leave it alone, until it does not.
TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, one_task_that_it_took_turns_with) {
  if (all_sticky()) GTEST_SKIP() << "such a task resumes where it started";
  std::atomic<int> turns{0};
  take_turns([&](weft_semaphore_t& others, bool last_of_many) {
    const int before = ++turns;
    EXPECT_EQ(weft_semaphore_post(&others, 1), 0);
    if (!last_of_many) return;
    EXPECT_TRUE(compute_until([&] { return turns > before; })) << before;
  });
}

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, that_it_spawned_between_turns) {
  take_turns([&](weft_semaphore_t& others, bool last_of_many) {
    if (last_of_many) {
      const int before = ran_;
      EXPECT_EQ(weft_task_spawn(count, &ran_, nullptr), 0);
      EXPECT_TRUE(compute_until([&] { return ran_ > before; })) << before;
    }
    EXPECT_EQ(weft_semaphore_post(&others, 1), 0);
  });
}

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, while_tasks_of_another_take_turns) {
  if (GetParam() == 2) GTEST_SKIP() << "nobody is idle then";
  ASSERT_EQ(weft_worker_set_spin(WEFT_ANYWHERE, 50'000), 0);  // also where workers share processors
  std::atomic<int> turns{0};
  std::atomic<bool> over{false};
  std::array<weft_semaphore_t, 2> semaphores{};
  for (weft_semaphore_t& s : semaphores) weft_semaphore_init(&s, 0);
  const auto play = [&](std::size_t me) {
    while (!over) {
      EXPECT_EQ(weft_semaphore_wait(&semaphores[me]), 0);
      ++turns;
      EXPECT_EQ(weft_semaphore_post(&semaphores[1 - me], 1), 0);
    }
    EXPECT_EQ(weft_semaphore_post(&semaphores[1 - me], 1), 0);  // who waits sees that it is over
  };
  auto first = [&] { play(0); };
  auto second = [&] { play(1); };
  const std::array<weft_task_t, 2> players{spawn(first), spawn(second)};
  EXPECT_EQ(weft_semaphore_post(&semaphores[0], 1), 0);
  for (int i = 1; i <= scaled(20); ++i) {
    const int before = turns;
    ran_ = 0;
    ASSERT_TRUE(compute_until([&] { return turns > before + 2000; }));
    for (int k = 0; k < tasks; ++k) ASSERT_EQ(weft_task_spawn(count, &ran_, nullptr), 0);
    expect_all_run_meanwhile();
  }
  over = true;
  for (const weft_task_t t : players) join(t);
}

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, that_yields_behind_it) {
  if (all_sticky()) GTEST_SKIP() << "such a task resumes where it started";
  // Tasks that gave way to the owner are ready too.
  std::atomic<int> yielding{0};
  std::atomic<bool> go{false};
  auto yields = [&] {
    ++yielding;
    while (!go) weft_task_yield();
    ++ran_;
  };
  std::vector<weft_task_t> all;
  for (int i = 0; i < tasks; ++i) all.push_back(spawn(yields));
  ASSERT_TRUE(yield_until([&] { return yielding == tasks; }));
  go = true;
  expect_all_run_meanwhile();
  for (weft_task_t t : all) join(t);
}

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, that_a_foreign_thread_sends) {
  std::atomic<bool> computes{false};
  std::thread foreign([&] {
    while (!computes) std::this_thread::yield();
    for (int i = 0; i < tasks; ++i) ASSERT_EQ(weft_task_spawn(count, &ran_, nullptr), 0);
  });
  computes = true;
  expect_all_run_meanwhile();
  foreign.join();
}

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work,
       that_it_took_in_from_a_foreign_thread) {
  // The chain of a foreign thread is taken as a whole by one worker: the first task of it computes.
  std::atomic<bool> started{false};
  std::atomic<bool> computed{false};
  auto first = [&] {
    started = true;
    EXPECT_TRUE(compute_until([this] { return ran_ == tasks; })) << ran_ << " of " << tasks;
    computed = true;
  };
  std::thread foreign([&] {
    std::vector<weft_task_t> all{spawn(first)};
    for (int i = 0; i < tasks; ++i) ASSERT_EQ(weft_task_spawn(count, &ran_, nullptr), 0);
    join(all[0]);
  });
  EXPECT_TRUE(yield_until([&] { return computed.load(); }));
  foreign.join();
}

TEST_P(hazard_an_owner_that_does_not_call_must_not_hide_work, of_a_task_that_is_no_main) {
  std::atomic<bool> computed{false};
  auto owner = [&] {
    for (int i = 0; i < tasks; ++i) ASSERT_EQ(weft_task_spawn(count, &ran_, nullptr), 0);
    expect_all_run_meanwhile();
    computed = true;
  };
  const weft_task_t t = spawn(owner, on_worker(1));
  EXPECT_TRUE(yield_until([&] { return computed.load(); }));
  join(t);
}

INSTANTIATE_TEST_SUITE_P(workers, hazard_an_owner_that_does_not_call_must_not_hide_work,
                         testing::Values(2u, 7u, 64u));

}  // namespace
}  // namespace weft::test
