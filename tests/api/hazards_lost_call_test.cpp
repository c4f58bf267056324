// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lost calls: a worker that is called for a task, and goes on with something else, calls another.
#include <array>
#include <thread>

#include "support.hpp"
#include "support/pools.hpp"

namespace weft::test {
namespace {

// Four workers; the caller is a thread outside, so that all of them can be idle.
class hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost : public testing::Test {
 protected:
  void SetUp() override { begin(workers); }
  void TearDown() override {
    EXPECT_EQ(weft_stop(), 0);
    unsetenv("WEFT_SHEPHERD");
    unsetenv("WEFT_TOPOLOGY");
    unsetenv("WEFT_BIND");
    unsetenv("WEFT_SPIN_US");
  }

  void begin(uint32_t number) {
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = number;
    config.main_mode = WEFT_MAIN_GUEST;
    ASSERT_EQ(weft_start(&config), 0);
    ASSERT_EQ(weft_pool_create(nullptr, &pool_), 0);
  }

  void serve(uint32_t worker, uint32_t flags) const {
    const weft_scheduler_t s = scheduler_of(pool_, nullptr, flags);
    ASSERT_EQ(weft_worker_set_scheduler(worker, s), 0);
    ASSERT_EQ(weft_scheduler_free(s), 0);
  }

  // A task on that worker polls by yielding, so that the worker naps. Meanwhile another is spawned
  // there; then the first computes until that has run.
  static void expect_others_run(uint32_t worker, uint32_t where) {
    for (int i = 0; i < scaled(8); ++i) {
      std::atomic<bool> polls{false};
      std::atomic<bool> go{false};
      std::atomic<bool> ran{false};
      auto poll = [&] {
        polls = true;
        while (!go) weft_task_yield();
        EXPECT_TRUE(compute_until([&] { return ran.load(); }));
      };
      auto run = [&] { ran = true; };
      const weft_task_t polling = spawn(poll, on_worker(worker));
      ASSERT_TRUE(compute_until([&] { return polls.load(); }));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the others fall asleep
      go = true;
      const weft_task_t other = spawn(run, on_worker(where));
      join(polling);
      join(other);
      if (HasFailure()) return;
    }
  }

  // While all sleep, one task is spawned to worker 0, which computes until another has run that may
  // run anywhere.
  static void expect_free_runs_beside_bound(bool bound_first, const weft_spawn_t& free) {
    for (int i = 0; i < scaled(20) && !HasFailure(); ++i) {
      std::atomic<bool> ran{false};
      auto run = [&] { ran = true; };
      auto wait = [&] { EXPECT_TRUE(compute_until([&] { return ran.load(); })); };
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      weft_task_t other = nullptr;
      if (!bound_first) other = spawn(run, free);
      const weft_task_t bound = spawn(wait, on_worker(0));
      if (bound_first) other = spawn(run, free);
      join(bound);
      join(other);
    }
  }

  void begin_with_shepherds(uint32_t number) {
    ASSERT_EQ(weft_stop(), 0);
    setenv("WEFT_TOPOLOGY", "flat", 1);
    setenv("WEFT_SHEPHERD", "core", 1);
    setenv("WEFT_BIND", "none", 1);
    begin(number);
  }

  static constexpr uint32_t workers = 4;
  weft_pool_t pool_ = 0;
};

TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost, of_a_pool_after_a_nap) {
  serve(1, 0);
  serve(3, 0);
  expect_others_run(1, pool_);
}

TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost,
       of_a_pool_after_a_nap_alone) {
  serve(1, WEFT_SCHEDULER_ALONE);
  serve(2, WEFT_SCHEDULER_ALONE);
  expect_others_run(1, pool_);
}

TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost,
       of_a_shepherd_after_a_nap_alone) {
  serve(0, WEFT_SCHEDULER_ALONE);
  expect_others_run(0, WEFT_SHEPHERD(0));
}

TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost,
       from_outside_after_a_nap_alone) {
  for (uint32_t w = 0; w < workers; ++w) serve(w, WEFT_SCHEDULER_ALONE);
  expect_others_run(0, WEFT_ANYWHERE);
}

// Worker 0 is called for its own task, and handed the search for the other before it has risen.
TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost,
       from_outside_to_who_was_called_by_name) {
  ASSERT_EQ(weft_stop(), 0);
  begin(2);
  serve(1, WEFT_SCHEDULER_ALONE);
  expect_free_runs_beside_bound(true, on_worker(WEFT_ANYWHERE));
  expect_free_runs_beside_bound(true, with_flags(WEFT_SPAWN_HIGH));
}

// Worker 0 is called for the other, and finds its own task in its mail first.
TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost,
       from_outside_to_who_gets_mail_then) {
  ASSERT_EQ(weft_stop(), 0);
  begin(2);
  for (uint32_t w = 0; w < 2; ++w) serve(w, WEFT_SCHEDULER_ALONE);
  expect_free_runs_beside_bound(false, on_worker(WEFT_ANYWHERE));
  expect_free_runs_beside_bound(false, with_flags(WEFT_SPAWN_LOW));
}

TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost,
       of_several_that_came_from_outside_together) {
  for (uint32_t w = 0; w < workers; ++w) serve(w, WEFT_SCHEDULER_ALONE);
  for (int i = 0; i < scaled(30) && !HasFailure(); ++i) {
    std::atomic<uint32_t> met{0};
    auto meet = [&] {
      ++met;
      EXPECT_TRUE(compute_until([&] { return met == workers; }));
    };
    std::array<weft_task_t, workers> tasks{};
    for (weft_task_t& t : tasks) t = spawn(meet);
    for (const weft_task_t t : tasks) join(t);
  }
}

TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost,
       of_a_task_with_a_priority_and_no_place_among_several_shepherds) {
  begin_with_shepherds(workers);
  for (uint32_t w = 0; w < workers; ++w) serve(w, WEFT_SCHEDULER_ALONE);
  uint32_t first = 0;
  ASSERT_GT(weft_shepherd_workers(weft_shepherd_count() - 1, &first), 0);
  for (int i = 0; i < scaled(10) && !HasFailure(); ++i) {
    auto spawns = [] {
      std::atomic<bool> ran{false};
      auto run = [&] { ran = true; };
      const weft_task_t t = spawn(run, with_flags(WEFT_SPAWN_HIGH));
      EXPECT_TRUE(compute_until([&] { return ran.load(); }));
      join(t);
    };
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // all fall asleep
    join(spawn(spawns, on_worker(first)));
  }
}

TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost,
       of_several_that_came_from_outside_to_who_has_work_of_its_own) {
  for (uint32_t w = 0; w < workers; ++w) serve(w, WEFT_SCHEDULER_ALONE);
  std::atomic<bool> over{false};
  auto yields = [&] {
    while (!over) weft_task_yield();
  };
  std::array<weft_task_t, 2> busy{};
  for (weft_task_t& t : busy) t = spawn(yields, on_worker(0));
  std::atomic<uint32_t> met{0};
  const auto meet = [](void* arg) -> void* {
    auto& m = *static_cast<std::atomic<uint32_t>*>(arg);
    ++m;
    EXPECT_TRUE(compute_until([&] { return m % 2 == 0 || HasFailure(); }));
    return nullptr;
  };
  for (int i = 0; i < scaled(1000) && !HasFailure(); ++i) {
    std::array<weft_task_t, 2> pair{};
    ASSERT_EQ(weft_task_spawn_many(meet, &met, 0, pair.size(), pair.data()), 0);
    for (const weft_task_t t : pair) join(t);
  }
  over = true;
  for (const weft_task_t t : busy) join(t);
}

// What one that is alone has left for all to see goes to the heir of its shepherd.
TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost,
       from_outside_to_who_is_disabled_then) {
  begin_with_shepherds(2);
  serve(1, WEFT_SCHEDULER_ALONE);
  std::atomic<int> ran{0};
  std::atomic<bool> go{false};
  std::atomic<bool> computes{false};
  auto compute = [&] {
    computes = true;
    EXPECT_TRUE(compute_until([&] { return go.load(); }));
  };
  const weft_task_t other = spawn(compute, on_worker(0));
  ASSERT_TRUE(compute_until([&] { return computes.load(); }));
  struct shared {
    std::atomic<int>& ran;
    std::atomic<bool> over{false};
  } s{ran};
  const auto run = [](void* arg) -> void* {
    auto& all = *static_cast<shared*>(arg);
    if (all.ran++ == 0) {
      EXPECT_TRUE(compute_until([&] { return all.over.load(); }));
    }
    return nullptr;
  };
  std::array<weft_task_t, 3> tasks{};
  ASSERT_EQ(weft_task_spawn_many(run, &s, 0, tasks.size(), tasks.data()), 0);
  ASSERT_TRUE(compute_until([&] { return ran == 1; }));
  ASSERT_EQ(weft_worker_disable(1), 0);
  go = true;
  EXPECT_TRUE(compute_until([&] { return ran == 3; }));
  s.over = true;
  for (const weft_task_t t : tasks) join(t);
  join(other);
}

// A searcher takes a free task, and finds one in its slot before it begins.
TEST_F(hazard_a_call_to_who_goes_on_with_something_else_must_not_be_lost,
       of_a_task_that_was_found_just_before_another_was_delivered) {
  ASSERT_EQ(weft_stop(), 0);
  setenv("WEFT_SPIN_US", "50", 1);
  begin(workers);
  auto play = [] {
    uint32_t random = 12345;
    for (int i = 0; i < scaled(4000) && !HasFailure(); ++i) {
      random = random * 1103515245 + 12345;
      std::atomic<bool> ran{false};
      auto free = [&] { ran = true; };
      auto waits = [&] { EXPECT_TRUE(compute_until([&] { return ran.load(); })); };
      const auto some_time = [](uint32_t ns) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
        while (std::chrono::steady_clock::now() < until) {
        }
      };
      some_time((random >> 16) % 40 * 1000);
      const weft_task_t found = spawn(free);
      some_time((random >> 8) % 8 * 50);
      const weft_task_t delivered = spawn(waits, on_worker(1));
      EXPECT_TRUE(compute_until([&] { return ran.load(); }));
      join(found);
      join(delivered);
    }
  };
  join(spawn(play, on_worker(0)));
}

}  // namespace
}  // namespace weft::test
