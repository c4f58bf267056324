// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Join, try-join, join-many, detach: results, errors, and misuse that is caught.
// WEFT_TEST_AT_WORKERS
#include <cerrno>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

using task_join = at_workers;

void* as_pointer(intptr_t n) { return reinterpret_cast<void*>(n); }
void* identity(void* n) { return n; }

TEST_F(task_join, of_null_is_refused) {
  EXPECT_EQ(weft_task_join(nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_task_try_join(nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_task_detach(nullptr), -EINVAL);
}

TEST_F(task_join, in_any_order_gives_each_result) {
  for (int step : {1, 7, 999}) {
    std::vector<weft_task_t> tasks(1000);
    for (std::size_t i = 0; i < tasks.size(); ++i)
      ASSERT_EQ(weft_task_spawn(identity, as_pointer(static_cast<intptr_t>(i)), &tasks[i]), 0);
    for (std::size_t n = 0; n < tasks.size(); ++n) {
      const std::size_t i = n * static_cast<std::size_t>(step) % tasks.size();
      void* result = nullptr;
      ASSERT_EQ(weft_task_join(tasks[i], &result), 0);
      ASSERT_EQ(result, as_pointer(static_cast<intptr_t>(i)));
    }
  }
}

TEST_F(task_join, shows_the_joiner_all_that_the_task_wrote) {
  for (int i = 0; i < scaled(2000); ++i) {
    int plain = 0;
    auto writes = [&plain, i] { plain = i; };
    const weft_task_t t = spawn(writes);
    if (i % 2 == 0) weft_task_yield();
    join(t);
    ASSERT_EQ(plain, i);
  }
}

TEST_F(task_join, of_a_task_by_another_than_its_parent) {
  auto yields = [] {
    for (int i = 0; i < 5; ++i) weft_task_yield();
  };
  for (int i = 0; i < 100; ++i) {
    const weft_task_t child = spawn(yields);
    auto joins = [child] { join(child); };
    join(spawn(joins));
  }
}

TEST_F(task_join, by_a_foreign_thread) {
  const weft_task_t main = weft_task_self();
  std::vector<weft_task_t> tasks(200);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    ASSERT_EQ(weft_task_spawn(identity, as_pointer(static_cast<intptr_t>(i)), &tasks[i]), 0);
  std::thread foreign([&] {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      void* result = nullptr;
      EXPECT_EQ(weft_task_join(tasks[i], &result), 0);
      EXPECT_EQ(result, as_pointer(static_cast<intptr_t>(i)));
    }
    EXPECT_EQ(weft_task_resume(main), 0);
  });
  EXPECT_EQ(weft_task_suspend(), 0);
  foreign.join();
}

TEST_F(task_join, try_says_busy_until_the_end_and_then_releases) {
  std::atomic<bool> go{false};
  auto waits = [&] {
    while (!go) weft_task_yield();
  };
  const weft_task_t t = spawn(waits);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(weft_task_try_join(t, nullptr), -EBUSY);
    weft_task_yield();
  }
  go = true;
  EXPECT_TRUE(yield_until([&] { return weft_task_try_join(t, nullptr) == 0; }));
}

TEST_F(task_join, try_of_a_fresh_child_does_not_run_it) {
  if (weft_worker_count() > 1) GTEST_SKIP() << "another worker may run it";
  std::atomic<bool> ran{false};
  auto child = [&] { ran = true; };
  const weft_task_t t = spawn(child);
  EXPECT_EQ(weft_task_try_join(t, nullptr), -EBUSY);
  EXPECT_FALSE(ran);
  join(t);
}

TEST_F(task_join, many_with_a_null_joins_none) {
  std::vector<weft_task_t> tasks(3);
  for (std::size_t i : {std::size_t{0}, std::size_t{2}})
    ASSERT_EQ(weft_task_spawn(identity, nullptr, &tasks[i]), 0);
  EXPECT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), -EINVAL);
  EXPECT_NE(tasks[0], nullptr);
  EXPECT_NE(tasks[2], nullptr);
  join(tasks[0]);
  join(tasks[2]);
  EXPECT_EQ(weft_task_join_many(nullptr, 0, nullptr), 0);
}

TEST_F(task_join, detach_before_and_after_the_end) {
  std::atomic<int> ran{0};
  auto counts = [&] { ++ran; };
  const int n = 500;
  for (int i = 0; i < n; ++i) {
    const weft_task_t t = spawn(counts);
    if (i % 2 == 0) {
      EXPECT_TRUE(yield_until([&] { return ran == i + 1; }));
    }
    EXPECT_EQ(weft_task_detach(t), 0);
    EXPECT_TRUE(yield_until([&] { return ran == i + 1; }));
  }
}

TEST_F(task_join, of_tasks_that_wait_for_each_other_in_a_long_chain) {
  struct chain {
    static void* run(void* next) {
      if (next != nullptr) join(static_cast<weft_task_t>(next));
      return nullptr;
    }
  };
  weft_task_t last = nullptr;
  for (int i = 0; i < scaled_alive(20'000); ++i) {
    weft_task_t t = nullptr;
    ASSERT_EQ(weft_task_spawn(chain::run, last, &t), 0);
    last = t;
  }
  join(last);
}

// --- misuse -------------------------------------------------------------------------------------

class task_join_death : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, death_test_style); }
};

TEST_F(task_join_death, joining_twice_is_caught) {
  EXPECT_DEATH(
      {
        weft_task_t t = nullptr;
        weft_task_spawn(identity, nullptr, &t);
        weft_task_join(t, nullptr);
        weft_task_join(t, nullptr);
      },
      "weft: weft_task_join: this task was joined or detached before");
}

TEST_F(task_join_death, detaching_after_a_join_is_caught) {
  EXPECT_DEATH(
      {
        weft_task_t t = nullptr;
        weft_task_spawn(identity, nullptr, &t);
        weft_task_join(t, nullptr);
        weft_task_detach(t);
      },
      "weft: weft_task_detach: this task was joined or detached before");
}

TEST_F(task_join_death, trying_and_resuming_after_a_join_are_caught) {
  EXPECT_DEATH(
      {
        weft_task_t t = nullptr;
        weft_task_spawn(identity, nullptr, &t);
        weft_task_join(t, nullptr);
        weft_task_try_join(t, nullptr);
      },
      "weft: weft_task_try_join: this task was joined or detached before");
  EXPECT_DEATH(
      {
        weft_task_t t = nullptr;
        weft_task_spawn(identity, nullptr, &t);
        weft_task_join(t, nullptr);
        weft_task_resume(t);
      },
      "weft: weft_task_resume: this task was joined or detached before");
}

}  // namespace
}  // namespace weft::test
