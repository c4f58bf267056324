// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a worker watches before it sleeps, set while it runs. No test asserts a time: a budget
// is longer than the test, or nothing.
#include <atomic>
#include <cerrno>
#include <thread>

#include "support.hpp"

namespace weft::test {
namespace {

constexpr int64_t a_second = 1'000'000'000;

void one_task_on(uint32_t worker) {
  std::atomic<bool> ran{false};
  auto runs = [&] { ran = true; };
  const weft_task_t t = spawn(runs, on_worker(worker));
  EXPECT_TRUE(compute_until([&] { return ran.load(); }));
  join(t);
}

bool sleeps_again(uint64_t than) {
  return compute_until([&] { return stats().sleeps > than; });
}

TEST(spin, a_worker_that_may_not_spin_sleeps_after_each_task) {
  const runtime r(2);
  EXPECT_EQ(weft_worker_set_spin(1, 0), 0);
  EXPECT_EQ(weft_worker_spin(1), 0);
  for (int i = 0; i < scaled(50); ++i) {
    const uint64_t before = stats().sleeps;
    one_task_on(1);
    EXPECT_TRUE(sleeps_again(before));
  }
}

TEST(spin, one_that_watches_follows_at_once) {
  const runtime r(2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(weft_worker_set_spin(1, a_second), 0);
    EXPECT_EQ(weft_worker_spin(1), a_second);
    const uint64_t before = stats().sleeps;
    one_task_on(1);
    EXPECT_EQ(weft_worker_set_spin(1, 0), 0);
    EXPECT_TRUE(sleeps_again(before));
  }
}

TEST(spin, the_default_is_what_the_option_says) {
  ASSERT_EQ(setenv("WEFT_SPIN_US", "123", 1), 0);
  {
    const runtime r(1);
    EXPECT_EQ(weft_worker_spin(0), 123'000);
    EXPECT_EQ(weft_worker_set_spin(0, 7), 0);
    EXPECT_EQ(weft_worker_spin(0), 7);
    EXPECT_EQ(weft_worker_set_spin(0, WEFT_SPIN_DEFAULT), 0);
    EXPECT_EQ(weft_worker_spin(0), 123'000);
  }
  constexpr uint32_t many = 256;  // more than there are processors, on most machines
  {
    const runtime r(many);
    EXPECT_EQ(weft_worker_spin(0), 123'000);
  }
  ASSERT_EQ(unsetenv("WEFT_SPIN_US"), 0);
  const runtime r(many);
  EXPECT_EQ(weft_worker_spin(0), std::thread::hardware_concurrency() < many ? 0 : 50'000);
}

TEST(spin, of_all_workers_or_of_one_and_of_none_that_does_not_exist) {
  const runtime r(3);
  EXPECT_EQ(weft_worker_set_spin(WEFT_ANYWHERE, 5), 0);
  for (uint32_t w = 0; w < 3; ++w) EXPECT_EQ(weft_worker_spin(w), 5);
  EXPECT_EQ(weft_worker_set_spin(2, 6), 0);
  EXPECT_EQ(weft_worker_spin(1), 5);
  EXPECT_EQ(weft_worker_spin(2), 6);
  EXPECT_EQ(weft_worker_set_spin(3, 1), -ERANGE);
  EXPECT_EQ(weft_worker_spin(3), -ERANGE);
  EXPECT_EQ(weft_worker_set_spin(0, -2), -EINVAL);
  EXPECT_EQ(weft_worker_set_spin(0, a_second + 1), -EINVAL);
  EXPECT_EQ(weft_worker_spin(0), 5);
}

TEST(spin, a_guest_has_the_budget_of_its_worker) {
  const runtime r(3);
  EXPECT_EQ(weft_worker_set_spin(2, 0), 0);
  EXPECT_EQ(weft_worker_remove(2, 0), 0);
  std::thread([] {
    int said = -EBUSY;
    EXPECT_TRUE(compute_until([&] { return (said = weft_guest_begin(2)) != -EBUSY; }));
    ASSERT_EQ(said, 0);
    EXPECT_EQ(weft_worker_spin(2), 0);
    // Its wait, with and without a budget.
    for (const int64_t ns : {int64_t{0}, a_second}) {
      EXPECT_EQ(weft_worker_set_spin(weft_worker_index(), ns), 0);
      weft_task_sleep_for(100'000);
    }
    EXPECT_EQ(weft_worker_set_spin(2, WEFT_SPIN_DEFAULT), 0);
    EXPECT_EQ(weft_guest_end(), 0);
  }).join();
}

}  // namespace
}  // namespace weft::test
