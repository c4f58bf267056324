// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Start and stop: options and their errors, implicit start, guest mode, use before and after,
// counters. WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

weft_config_t config_of(uint32_t workers) {
  weft_config_t c{};
  c.size = sizeof c;
  c.workers = workers;
  return c;
}

// What a start that must fail writes.
std::string refusal(const weft_config_t& c) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(weft_start(&c), -EINVAL);
  EXPECT_EQ(weft_worker_count(), 0u);
  return testing::internal::GetCapturedStderr();
}

bool is_one_line(const std::string& s) { return !s.empty() && s.find('\n') == s.size() - 1; }

TEST(runtime_start, not_started_means_no_workers_and_no_task) {
  EXPECT_EQ(weft_worker_count(), 0u);
  EXPECT_EQ(weft_worker_index(), WEFT_ANYWHERE);
  EXPECT_EQ(weft_stop(), -ENOTCONN);
  weft_stats_t s{};
  s.size = sizeof s;
  EXPECT_EQ(weft_stats_read(&s), -ENOTCONN);
  EXPECT_EQ(weft_task_self(), nullptr);
  EXPECT_EQ(weft_task_yield(), -ENOTCONN);
  EXPECT_EQ(weft_task_suspend(), -EPERM);
  EXPECT_EQ(weft_task_stack_left(), 0u);
  EXPECT_EQ(weft_task_stack_bounds(nullptr, nullptr), -EPERM);
  EXPECT_EQ(weft_task_id(nullptr), 0u);
}

TEST(runtime_start, the_first_spawn_starts_it_and_main_is_worker_0) {
  int ran = 0;
  auto counts = [&] { ++ran; };
  weft_task_t t = spawn(counts);
  EXPECT_GT(weft_worker_count(), 0u);
  EXPECT_EQ(weft_worker_index(), 0u);
  EXPECT_NE(weft_task_self(), nullptr);
  join(t);
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(weft_start(nullptr), -EALREADY);
  EXPECT_EQ(weft_stop(), 0);
  EXPECT_EQ(weft_worker_count(), 0u);
  EXPECT_EQ(weft_worker_index(), WEFT_ANYWHERE);
  EXPECT_EQ(weft_task_self(), nullptr);
}

TEST(runtime_start, each_kind_of_spawn_starts_it) {
  int ran = 0;
  auto counts = [&] { ++ran; };
  join(spawn(counts, with_flags(0)));
  EXPECT_EQ(weft_stop(), 0);
  weft_task_t t = nullptr;
  EXPECT_EQ(weft_task_spawn_many(call<decltype(counts)>, &counts, 0, 1, &t), 0);
  join(t);
  EXPECT_EQ(weft_stop(), 0);
  EXPECT_EQ(ran, 2);
}

TEST(runtime_start, a_spawn_of_no_tasks_does_not_start_it) {
  auto nothing = [] {};
  EXPECT_EQ(weft_task_spawn_many(call<decltype(nothing)>, &nothing, 0, 0, nullptr), 0);
  EXPECT_EQ(weft_worker_count(), 0u);
}

TEST(runtime_start, a_foreign_threads_first_spawn_leaves_main_outside) {
  std::thread([] {
    auto nothing = [] {};
    join(spawn(nothing));
    EXPECT_EQ(weft_worker_index(), WEFT_ANYWHERE);
    EXPECT_EQ(weft_stop(), 0);
  }).join();
  EXPECT_EQ(weft_worker_count(), 0u);
}

TEST(runtime_start, again_with_other_options_has_them) {
  for (const uint32_t workers : {1u, 3u, 2u, 64u, 5u}) {
    const runtime weft(workers, workers * 16 * 1024);
    EXPECT_EQ(weft_worker_count(), workers);
    std::size_t left = 0, whole = 0;
    auto looks = [&] {
      left = weft_task_stack_left();
      void *low = nullptr, *high = nullptr;
      EXPECT_EQ(weft_task_stack_bounds(&low, &high), 0);
      whole = static_cast<std::size_t>(static_cast<char*>(high) - static_cast<char*>(low));
      char* const here = static_cast<char*>(__builtin_frame_address(0));
      EXPECT_TRUE(here > low && here < high);
    };
    run_apart(looks);
    EXPECT_GT(left, std::size_t{workers} * 16 * 1024 - 4096);
    EXPECT_GE(whole, std::size_t{workers} * 16 * 1024);
  }
}

TEST(runtime_start, a_bad_option_is_refused_with_one_line) {
  weft_config_t c = config_of(1025);
  EXPECT_TRUE(is_one_line(refusal(c)));
  c = config_of(1);
  c.main_mode = 3;
  EXPECT_TRUE(is_one_line(refusal(c)));
  c = config_of(1);
  c.stack_bytes = 1000;
  EXPECT_TRUE(is_one_line(refusal(c)));
  c.stack_bytes = std::size_t{2} << 30;
  EXPECT_TRUE(is_one_line(refusal(c)));
  c = config_of(1);
  c.size = 0;
  EXPECT_TRUE(is_one_line(refusal(c)));
}

TEST(runtime_start, a_newer_and_longer_config_must_say_nothing_unknown) {
  struct {
    weft_config_t known;
    uint64_t newer;
  } c{config_of(2), 0};
  c.known.size = sizeof c;
  ASSERT_EQ(weft_start(&c.known), 0);
  EXPECT_EQ(weft_stop(), 0);
  c.newer = 1;
  EXPECT_TRUE(is_one_line(refusal(c.known)));
}

// A struct of a newer header, with one member more.
template <class T>
struct newer {
  T known;
  uint64_t more = 0;

  explicit newer(const T& init) : known(init) { known.size = sizeof *this; }
};

TEST(runtime_start, newer_and_longer_structs_must_say_nothing_unknown) {
  const runtime weft(1);
  static const auto nothing = [](void*) -> void* { return nullptr; };
  newer<weft_spawn_t> spawn{weft_spawn_t(WEFT_SPAWN_INIT)};
  newer<weft_loop_t> loop{weft_loop_t(WEFT_LOOP_INIT)};
  newer<weft_pool_config_t> pool{weft_pool_config_t{}};
  newer<weft_scheduler_config_t> scheduler{weft_scheduler_config_t{}};
  weft_pool_t first = 0;
  weft_scheduler_t made = nullptr;
  weft_task_t t = nullptr;
  ASSERT_EQ(weft_pool_create(&pool.known, &first), 0);
  scheduler.known.pools = &first;
  scheduler.known.count = 1;
  for (const bool unknown : {false, true}) {
    for (uint64_t* more : {&spawn.more, &loop.more, &pool.more, &scheduler.more}) *more = unknown;
    const int expected = unknown ? -EINVAL : 0;
    EXPECT_EQ(weft_task_spawn_with(nothing, nullptr, &spawn.known, &t), expected);
    EXPECT_EQ(
        weft_loop_run(0, 1, 1, [](int64_t, int64_t, void*) {}, nullptr, &loop.known), expected);
    weft_pool_t second = 0;
    EXPECT_EQ(weft_pool_create(&pool.known, &second), expected);
    if (!unknown) {
      EXPECT_EQ(weft_pool_free(second), 0);
      EXPECT_EQ(weft_task_join(t, nullptr), 0);
    }
    EXPECT_EQ(weft_scheduler_create(&scheduler.known, &made), expected);
    if (!unknown) {
      EXPECT_EQ(weft_scheduler_free(made), 0);
    }
  }
  EXPECT_EQ(weft_pool_free(first), 0);
}

TEST(runtime_start, a_bad_variable_refuses_the_first_spawn) {
  const char* const before = std::getenv("WEFT_WORKERS");
  const std::string kept = before != nullptr ? before : "";
  setenv("WEFT_WORKERS", "many", 1);
  testing::internal::CaptureStderr();
  weft_task_t t = nullptr;
  EXPECT_EQ(weft_task_spawn([](void*) -> void* { return nullptr; }, nullptr, &t), -EINVAL);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(is_one_line(said)) << said;
  EXPECT_NE(said.find("WEFT_WORKERS"), std::string::npos) << said;
  EXPECT_EQ(t, nullptr);
  setenv("WEFT_WORKERS", kept.c_str(), 1);  // empty counts as unset
}

TEST(runtime_start, info_says_each_option_the_guards_and_the_barrier) {
  setenv("WEFT_INFO", "1", 1);
  testing::internal::CaptureStderr();
  weft_config_t c = config_of(3);
  EXPECT_EQ(weft_start(&c), 0);
  const std::string said = testing::internal::GetCapturedStderr();
  unsetenv("WEFT_INFO");
  EXPECT_EQ(weft_stop(), 0);
  for (const char* line :
       {"weft: WEFT_WORKERS=3 (weft_start)\n", "weft: WEFT_INFO=1 (environment)\n",
        "weft: WEFT_STACK_SIZE=", "weft: guard of stacks: ", "weft: process-wide barrier: "})
    EXPECT_NE(said.find(line), std::string::npos) << line << " is not in\n" << said;
  testing::internal::CaptureStderr();
  EXPECT_EQ(weft_start(&c), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(weft_stop(), 0);
}

// --- stop ---------------------------------------------------------------------------------------

TEST(runtime_stop, runs_what_is_runnable_first) {
  std::atomic<int> ran{0};
  {
    const runtime weft(3);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_EQ(weft_task_spawn(
                    [](void* c) -> void* {
                      for (int k = 0; k < 3; ++k) weft_task_yield();
                      ++*static_cast<std::atomic<int>*>(c);
                      return nullptr;
                    },
                    &ran, nullptr),
                0);
    }
  }
  EXPECT_EQ(ran, 1000);
}

TEST(runtime_stop, tasks_that_it_still_runs_find_everything_as_before) {
  struct last_words {
    std::atomic<uint32_t> workers{0};
    std::atomic<int> ran{0};
    std::atomic<int> refused{0};
    static void* child(void* arg) {
      ++static_cast<last_words*>(arg)->ran;
      return nullptr;
    }
    static void* run(void* arg) {
      auto* me = static_cast<last_words*>(arg);
      for (int i = 0; i < 20; ++i) weft_task_yield();  // main has called stop by now, or soon will
      me->workers = weft_worker_count();
      const weft_spawn_t how = on_worker(0);
      EXPECT_EQ(weft_task_spawn(child, arg, nullptr), 0);
      EXPECT_EQ(weft_task_spawn_with(child, arg, &how, nullptr), 0);
      EXPECT_EQ(weft_task_spawn_many(child, arg, 0, 3, nullptr), 0);
      EXPECT_EQ(stats().size, sizeof(weft_stats_t));
      me->refused = weft_start(nullptr);
      return nullptr;
    }
  } words;
  {
    const runtime weft(1);
    ASSERT_EQ(weft_task_spawn(last_words::run, &words, nullptr), 0);
  }
  EXPECT_EQ(words.workers, 1u);
  EXPECT_EQ(words.ran, 5);
  EXPECT_EQ(words.refused, -EALREADY);
}

TEST(runtime_stop, waits_for_a_task_that_polls_until_a_thread_tells_it) {
  for (const uint32_t workers : {1u, 2u}) {
    const weft_config_t c = config_of(workers);
    ASSERT_EQ(weft_start(&c), 0);
    std::atomic<bool> told{false};
    std::atomic<bool> ended{false};
    auto polls = [&] {
      while (!told) weft_task_yield();
      ended = true;
    };
    ASSERT_EQ(weft_task_detach(spawn(polls)), 0);
    std::thread tells([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      told = true;
    });
    EXPECT_EQ(weft_stop(), 0);
    EXPECT_TRUE(ended);
    tells.join();
  }
}

TEST(runtime_stop, counts_the_stacks_of_tasks_that_nobody_can_wake) {
  weft_config_t c = config_of(2);
  ASSERT_EQ(weft_start(&c), 0);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(weft_task_spawn(
                  [](void*) -> void* {
                    weft_task_suspend();
                    return nullptr;
                  },
                  nullptr, nullptr),
              0);
  }
  EXPECT_EQ(weft_stop(), 5);
}

TEST(runtime_stop, is_refused_to_tasks_and_other_threads) {
  const runtime weft(2);
  int by_task = 0;
  int by_thread = 0;
  auto stops = [&] { by_task = weft_stop(); };
  join(spawn(stops));
  run_apart(stops);
  std::thread([&] { by_thread = weft_stop(); }).join();
  EXPECT_EQ(by_task, -EPERM);
  EXPECT_EQ(by_thread, -EPERM);
  EXPECT_EQ(weft_worker_count(), 2u);
}

// --- main as a guest ----------------------------------------------------------------------------

TEST(runtime_guest, main_is_no_worker_and_may_spawn_join_and_resume) {
  for (const uint32_t workers : {1u, 2u, 7u}) {
    const runtime weft(workers, 0, WEFT_MAIN_GUEST);
    EXPECT_EQ(weft_worker_count(), workers);
    EXPECT_EQ(weft_worker_index(), WEFT_ANYWHERE);
    EXPECT_EQ(weft_task_self(), nullptr);
    EXPECT_EQ(weft_task_yield(), -ENOTCONN);
    EXPECT_EQ(weft_task_suspend(), -EPERM);
    std::atomic<int> ran{0};
    std::atomic<bool> go{false};
    auto sleeps = [&] {
      EXPECT_LT(weft_worker_index(), workers);
      while (!go) EXPECT_EQ(weft_task_suspend(), 0);
      ++ran;
    };
    std::vector<weft_task_t> all;
    for (int i = 0; i < 100; ++i) all.push_back(spawn(sleeps));
    for (uint32_t w = 0; w < workers; ++w) all.push_back(spawn(sleeps, on_worker(w)));
    go = true;
    for (weft_task_t t : all) {
      const int r = weft_task_resume(t);
      EXPECT_TRUE(r == 0 || r == -ESRCH) << r;
    }
    for (weft_task_t t : all) join(t);
    EXPECT_EQ(ran, 100 + static_cast<int>(workers));
    EXPECT_EQ(weft_task_join(nullptr, nullptr), -EINVAL);
  }
}

TEST(runtime_guest, a_join_inside_a_task_still_calls_the_child) {
  const runtime weft(1, 0, WEFT_MAIN_GUEST);
  uint64_t parks = 1;
  auto parent = [&] {
    auto nothing = [] {};
    const uint64_t before = stats().parks;
    for (int i = 0; i < 100; ++i) join(spawn(nothing));
    parks = stats().parks - before;
  };
  join(spawn(parent));
  EXPECT_EQ(parks, 0u);
}

TEST(runtime_guest, stop_waits_for_detached_work) {
  std::atomic<int> ran{0};
  {
    const runtime weft(2, 0, WEFT_MAIN_GUEST);
    ASSERT_EQ(weft_task_spawn_many(
                  [](void* c) -> void* {
                    weft_task_yield();
                    ++*static_cast<std::atomic<int>*>(c);
                    return nullptr;
                  },
                  &ran, 0, 1000, nullptr),
              0);
  }
  EXPECT_EQ(ran, 1000);
}

// --- counters -----------------------------------------------------------------------------------

TEST(runtime_stats, say_what_happened) {
  const runtime weft(1);
  const weft_stats_t before = stats();
  auto sleeps = [] { EXPECT_EQ(weft_task_suspend(), 0); };
  std::vector<weft_task_t> all;
  for (int i = 0; i < 10; ++i) all.push_back(spawn(sleeps));
  weft_task_yield();
  weft_stats_t now = stats();
  EXPECT_EQ(now.parks - before.parks, 11u);  // ten tasks and this one
  EXPECT_EQ(now.stacks_live - before.stacks_live, 10u);
  EXPECT_GE(now.stacks_made, now.stacks_live);
  EXPECT_EQ(now.steals, 0u);
  for (weft_task_t t : all) EXPECT_EQ(weft_task_resume(t), 0);
  for (weft_task_t t : all) join(t);
  EXPECT_EQ(stats().stacks_live, before.stacks_live);
}

TEST(runtime_stats, those_that_do_not_block_need_no_stacks) {
  const runtime weft(1);
  std::atomic<int> ran{0};
  auto counts = [&] { ++ran; };
  run_apart(counts);  // which needs the stacks that there are
  const weft_stats_t before = stats();
  const int count = scaled(100'000);
  std::vector<weft_task_t> all;
  for (int i = 0; i < count; ++i) all.push_back(spawn(counts));
  for (weft_task_t t : all) join(t);
  EXPECT_EQ(ran, count + 1);
  EXPECT_EQ(stats().stacks_live, before.stacks_live);
  EXPECT_EQ(stats().stacks_made, before.stacks_made);
}

TEST(runtime_stats, count_what_thieves_take) {
  const runtime weft(2);
  std::atomic<bool> ran{false};
  auto sets = [&] { ran = true; };
  const uint64_t before = stats().steals + stats().forced_shares;
  const weft_task_t t = spawn(sets);
  EXPECT_TRUE(compute_until([&] { return ran.load(); }));
  join(t);
  EXPECT_GT(stats().steals + stats().forced_shares, before);
}

TEST(runtime_stats, say_what_a_task_is_promised) {
  weft_config_t config{};
  config.size = sizeof config;
  config.stack_bytes = (std::size_t{256} << 10) + 1;
  ASSERT_EQ(weft_start(&config), 0);
  EXPECT_GT(stats().stack_bytes, config.stack_bytes);
  EXPECT_EQ(stats().stack_bytes % static_cast<uint64_t>(sysconf(_SC_PAGESIZE)), 0u);
  EXPECT_GE(weft_stop(), 0);
}

TEST(runtime_stats, fill_as_much_as_the_caller_knows) {
  const runtime weft(1);
  EXPECT_EQ(weft_stats_read(nullptr), -EINVAL);
  weft_stats_t s{};
  EXPECT_EQ(weft_stats_read(&s), -EINVAL);
  s.size = offsetof(weft_stats_t, sleeps);
  s.sleeps = 12345;
  s.stacks_made = 54321;
  EXPECT_EQ(weft_stats_read(&s), 0);
  EXPECT_EQ(s.sleeps, 12345u);
  EXPECT_EQ(s.stacks_made, 54321u);
  EXPECT_EQ(s.size, offsetof(weft_stats_t, sleeps));
}

}  // namespace
}  // namespace weft::test
