// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of a shepherd: they run and resume on its workers alone, and on any of these.
// WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <array>
#include <cerrno>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

// Four workers; where there are two processors, two shepherds of two.
class place_spawn : public testing::Test {
 protected:
  void SetUp() override {
    setenv("WEFT_TOPOLOGY", "flat", 1);
    setenv("WEFT_SHEPHERD", "core", 1);
    setenv("WEFT_BIND", "none", 1);
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = 4;
    ASSERT_EQ(weft_start(&config), 0);
    last = weft_shepherd_count() - 1;
  }
  void TearDown() override {
    EXPECT_EQ(weft_stop(), 0);
    for (const char* name : {"WEFT_TOPOLOGY", "WEFT_SHEPHERD", "WEFT_BIND"}) unsetenv(name);
  }

  uint32_t last = 0;
};

weft_spawn_t on_shepherd(uint32_t s) { return on_worker(WEFT_SHEPHERD(s)); }

TEST_F(place_spawn, a_task_runs_and_resumes_on_its_shepherd) {
  const int count = scaled(400);
  std::atomic<int> elsewhere{0};
  weft_latch_t done;
  weft_latch_init(&done, static_cast<uint32_t>(2 * count));
  struct visitor {
    std::atomic<int>& elsewhere;
    weft_latch_t& done;
    uint32_t home;
    void look() const {
      if (weft_shepherd_index() != home) ++elsewhere;
    }
    void operator()() const {
      look();
      weft_task_yield();
      look();
      weft_task_sleep_for(1000);
      look();
      auto nothing = [] {};
      const weft_task_t child = spawn(nothing);
      weft_task_yield();
      look();
      join(child);
      look();
      weft_latch_count_down(&done, 1);
    }
  };
  std::array<visitor, 2> at{visitor{elsewhere, done, 0}, visitor{elsewhere, done, last}};
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < count; ++i)
    for (visitor& v : at) tasks.push_back(spawn(v, on_shepherd(v.home)));
  EXPECT_EQ(weft_latch_wait(&done), 0);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(place_spawn, all_workers_of_the_shepherd_run_its_tasks) {
  uint32_t first = 0;
  const auto workers = static_cast<uint32_t>(weft_shepherd_workers(last, &first));
  std::atomic<uint32_t> met{0};
  auto meet = [&] {
    ++met;
    EXPECT_TRUE(compute_until([&] { return met >= workers; }));
  };
  std::vector<weft_task_t> tasks;
  const uint32_t others = workers - (weft_shepherd_index() == last ? 1 : 0);
  for (uint32_t i = 0; i < others; ++i) tasks.push_back(spawn(meet, on_shepherd(last)));
  if (others < workers) meet();
  for (const weft_task_t t : tasks) join(t);
}

TEST_F(place_spawn, an_owner_that_computes_hides_none_of_them) {
  std::atomic<int> ran{0};
  auto one = [&] {
    weft_task_yield();
    ++ran;
  };
  // The tasks are queued by the one that computes, for its own shepherd.
  auto owner = [&] {
    std::vector<weft_task_t> tasks;
    for (int i = 0; i < 100; ++i) tasks.push_back(spawn(one, on_shepherd(weft_shepherd_index())));
    EXPECT_TRUE(compute_until([&] { return ran == 100; }));
    for (const weft_task_t t : tasks) join(t);
  };
  join(spawn(owner, on_shepherd(last)));
}

TEST_F(place_spawn, a_task_wanders_from_shepherd_to_shepherd) {
  auto wander = [this] {
    for (int i = 0; i < scaled(200); ++i) {
      const uint32_t to = i % 2 == 0 ? last : 0;
      ASSERT_EQ(weft_task_migrate(WEFT_SHEPHERD(to)), 0);
      EXPECT_EQ(weft_shepherd_index(), to);
      weft_task_yield();
      EXPECT_EQ(weft_shepherd_index(), to);
    }
    EXPECT_EQ(weft_task_migrate(WEFT_SHEPHERD(last + 1)), -ERANGE);
    EXPECT_EQ(weft_task_migrate(3), 0);
    EXPECT_EQ(weft_worker_index(), 3u);
    EXPECT_EQ(weft_task_migrate(WEFT_SHEPHERD(0)), 0);
    EXPECT_EQ(weft_shepherd_index(), 0u);
    EXPECT_EQ(weft_task_migrate(WEFT_ANYWHERE), 0);
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 8; ++i) tasks.push_back(spawn(wander, with_flags(0)));
  // main stays on its own stack: nothing of it can be beneath them
  weft_latch_t never;
  weft_latch_init(&never, 1);
  EXPECT_EQ(weft_latch_wait_until(&never, weft_time_now_ns() + 1000000), -ETIMEDOUT);
  for (const weft_task_t t : tasks) {
    while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
  }
}

TEST_F(place_spawn, a_joiner_goes_home_when_its_child_took_the_stack_away) {
  auto away = [] {
    ASSERT_EQ(weft_task_migrate(WEFT_SHEPHERD(0)), 0);
    EXPECT_EQ(weft_shepherd_index(), 0u);
  };
  auto stays = [&] {
    for (int i = 0; i < scaled(100); ++i) {
      join(spawn(away));
      EXPECT_EQ(weft_shepherd_index(), last);
    }
  };
  auto parent = [&] { join(spawn(stays, on_shepherd(last))); };
  run_apart(parent);
}

TEST_F(place_spawn, one_that_is_sticky_stays_with_the_worker_that_began_it) {
  auto body = [this] {
    const uint32_t began = weft_worker_index();
    EXPECT_EQ(weft_shepherd_index(), last);
    for (int i = 0; i < 50; ++i) {
      weft_task_yield();
      EXPECT_EQ(weft_worker_index(), began);
    }
  };
  weft_spawn_t how = on_shepherd(last);
  how.flags = WEFT_SPAWN_STICKY;
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 8; ++i) tasks.push_back(spawn(body, how));
  for (const weft_task_t t : tasks) join(t);
}

TEST_F(place_spawn, threads_outside_spawn_to_shepherds) {
  std::atomic<int> right{0};
  auto one = [&] {
    if (weft_shepherd_index() == last) ++right;
  };
  std::thread([&] {
    for (int i = 0; i < 100; ++i) join(spawn(one, on_shepherd(last)));
  }).join();
  EXPECT_EQ(right, 100);
}

TEST_F(place_spawn, parents_that_poll_for_children_of_other_shepherds_end) {
  struct node {
    uint32_t last;
    int depth;
    std::atomic<int> left{0};
    void operator()() {
      if (depth == 0) return;
      node a{last, depth - 1, {}};
      node b{last, depth - 1, {}};
      const weft_task_t first = spawn(a, on_shepherd(0));
      const weft_task_t second = spawn(b, on_shepherd(last));
      for (const weft_task_t t : {first, second})
        while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
    }
  };
  node root{last, tsan ? 3 : 7, {}};
  join(spawn(root, on_shepherd(last)));
}

TEST_F(place_spawn, a_place_that_does_not_exist_is_refused) {
  auto nothing = [] {};
  weft_task_t t = nullptr;
  for (const uint32_t where : {WEFT_SHEPHERD(last + 1), 4u, WEFT_SHEPHERD(0x7ffffffe)}) {
    const weft_spawn_t how = on_worker(where);
    EXPECT_EQ(weft_task_spawn_with(call<decltype(nothing)>, &nothing, &how, &t), -ERANGE);
  }
}

}  // namespace
}  // namespace weft::test
