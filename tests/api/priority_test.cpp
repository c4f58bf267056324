// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three levels of priority: the higher goes first, and the lower has one pick in 61 all the same.
// WEFT_TEST_AT_WORKERS
#include <algorithm>
#include <cerrno>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

using priority = at_workers;

// On one worker whatever the environment says, so that the order of picks is the scheduler's alone.
class priority_on_one : public testing::Test {
 protected:
  runtime weft_{1};
};

constexpr uint32_t levels[] = {WEFT_SPAWN_LOW, 0, WEFT_SPAWN_HIGH};

void wait_for(weft_latch_t& l) { EXPECT_EQ(weft_latch_wait(&l), 0); }

TEST_F(priority_on_one, the_higher_goes_first) {
  constexpr int each = 20;
  letters order;
  weft_latch_t done;
  weft_latch_init(&done, 3 * each);
  auto body = [&](char c) {
    order += c;
    weft_latch_count_down(&done, 1);
  };
  auto low = [&] { body('l'); };
  auto normal = [&] { body('n'); };
  auto high = [&] { body('h'); };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < each; ++i) {
    tasks.push_back(spawn(low, with_flags(WEFT_SPAWN_LOW)));
    tasks.push_back(spawn(normal));
    tasks.push_back(spawn(high, with_flags(WEFT_SPAWN_HIGH)));
  }
  wait_for(done);
  for (const weft_task_t t : tasks) join(t);
  // Fair picks, one in 20, may take one of a lower level.
  const std::string seen = order.text();
  const auto others = [&](std::size_t from, char c) {
    return each - std::count(seen.begin() + static_cast<std::ptrdiff_t>(from),
                             seen.begin() + static_cast<std::ptrdiff_t>(from) + each, c);
  };
  EXPECT_LE(others(0, 'h'), 2) << seen;
  EXPECT_LE(others(2 * each, 'l'), 4) << seen;
}

// Keeps the worker busy with tasks of one level, each of which spawns the next, until `stop`.
struct flood {
  uint32_t flags;
  std::atomic<bool> stop{false};
  std::atomic<int> ran{0};
  weft_latch_t ended;

  explicit flood(uint32_t f) : flags(f) { weft_latch_init(&ended, 1); }
  void begin() { put(); }
  void put() {
    const weft_spawn_t how = with_flags(flags);
    ASSERT_EQ(weft_task_spawn_with(run, this, &how, nullptr), 0);
  }
  static void* run(void* me) {
    auto& f = *static_cast<flood*>(me);
    ++f.ran;
    if (f.stop) {
      weft_latch_count_down(&f.ended, 1);
    } else {
      f.put();
    }
    return nullptr;
  }
};

TEST_F(priority_on_one, a_lower_level_has_one_pick_in_61_under_a_flood_of_the_higher) {
  constexpr int each = 30;
  flood high(WEFT_SPAWN_HIGH);
  weft_latch_t done;
  weft_latch_init(&done, 2 * each);
  // How far the flood was when the n'th of each kind ran.
  struct {
    std::atomic<int> ran{0};
    std::atomic<int> at[each];
  } kinds[2];
  auto note = [&](int kind) {
    kinds[kind].at[kinds[kind].ran++] = high.ran.load();
    weft_latch_count_down(&done, 1);
  };
  auto low = [&] { note(0); };
  auto normal = [&] { note(1); };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < each; ++i) {
    tasks.push_back(spawn(low, with_flags(WEFT_SPAWN_LOW)));
    tasks.push_back(spawn(normal));
  }
  high.begin();
  wait_for(done);
  high.stop = true;
  wait_for(high.ended);
  for (const weft_task_t t : tasks) join(t);
  for (const auto& k : kinds) {
    int before = 0;
    for (const std::atomic<int>& at : k.at) {
      EXPECT_LE(at - before, 61);
      before = at;
    }
    EXPECT_GE(before, each * 20) << "the flood has the rest";
  }
}

TEST_F(priority_on_one, low_ones_run_under_a_flood_of_normal_ones) {
  flood normal(0);
  weft_latch_t done;
  weft_latch_init(&done, 10);
  auto low = [&] { weft_latch_count_down(&done, 1); };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 10; ++i) tasks.push_back(spawn(low, with_flags(WEFT_SPAWN_LOW)));
  normal.begin();
  wait_for(done);
  normal.stop = true;
  wait_for(normal.ended);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_LE(normal.ran, 61 * 12);
}

TEST_F(priority_on_one, a_woken_task_keeps_its_priority) {
  letters order;
  weft_semaphore_t go;
  weft_semaphore_init(&go, 0);
  auto waits = [&](char c) {
    EXPECT_EQ(weft_semaphore_wait(&go), 0);
    order += c;
  };
  auto low = [&] { waits('l'); };
  auto normal = [&] { waits('n'); };
  auto high = [&] { waits('h'); };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 4; ++i) {
    tasks.push_back(spawn(low, with_flags(WEFT_SPAWN_LOW)));
    tasks.push_back(spawn(normal));
    tasks.push_back(spawn(high, with_flags(WEFT_SPAWN_HIGH)));
  }
  // low ones run last, so when one waits all do
  weft_latch_t all;
  weft_latch_init(&all, 1);
  auto tell = [&] { weft_latch_count_down(&all, 1); };
  const weft_task_t teller = spawn(tell, with_flags(WEFT_SPAWN_LOW));
  wait_for(all);
  EXPECT_EQ(weft_semaphore_post(&go, 12), 0);
  for (const weft_task_t t : tasks) join(t);
  join(teller);
  const std::string seen = order.text();
  EXPECT_EQ(std::count(seen.begin(), seen.begin() + 5, 'h'), 4) << seen;
}

TEST_F(priority_on_one, high_tasks_that_poll_let_the_others_run) {
  std::atomic<bool> set{false};
  auto polls = [&] { EXPECT_TRUE(yield_until([&] { return set.load(); })); };
  auto sets = [&] { set = true; };
  const weft_task_t a = spawn(polls, with_flags(WEFT_SPAWN_HIGH));
  const weft_task_t b = spawn(polls, with_flags(WEFT_SPAWN_HIGH));
  const weft_task_t c = spawn(sets, with_flags(WEFT_SPAWN_LOW));
  for (const weft_task_t t : {a, b, c})
    while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
}

TEST_F(priority, all_levels_run_and_block_and_are_counted) {
  const int count = scaled(3000);
  std::atomic<int> ran{0};
  weft_semaphore_t turn;
  weft_semaphore_init(&turn, 0);
  auto body = [&] {
    auto child = [&] { ++ran; };
    const weft_task_t t = spawn(child, with_flags(levels[static_cast<unsigned>(ran.load()) % 3]));
    EXPECT_EQ(weft_semaphore_wait(&turn), 0);
    weft_task_yield();
    join(t);
    ++ran;
  };
  auto posts = [&] {
    for (int i = 0; i < 3 * count; ++i) EXPECT_EQ(weft_semaphore_post(&turn, 1), 0);
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < count; ++i)
    for (const uint32_t flags : levels) tasks.push_back(spawn(body, with_flags(flags)));
  const weft_task_t poster = spawn(posts, with_flags(WEFT_SPAWN_LOW));
  for (const weft_task_t t : tasks) join(t);
  join(poster);
  EXPECT_EQ(ran, 6 * count);
}

TEST_F(priority, an_owner_that_computes_hides_none) {
  if (weft_worker_count() == 1) GTEST_SKIP() << "nobody else is there";
  std::atomic<int> ran{0};
  auto one = [&] { ++ran; };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 100; ++i)
    for (const uint32_t flags : levels) tasks.push_back(spawn(one, with_flags(flags)));
  EXPECT_TRUE(compute_until([&] { return ran == 300; }));
  for (const weft_task_t t : tasks) join(t);
}

TEST_F(priority, idle_workers_are_woken_for_each_level) {
  for (int i = 0; i < scaled(200); ++i)
    for (const uint32_t flags : levels) {
      weft_latch_t done;
      weft_latch_init(&done, 1);
      auto one = [&] { weft_latch_count_down(&done, 1); };
      const weft_task_t t = spawn(one, with_flags(flags));
      wait_for(done);
      join(t);
    }
}

TEST(priority_itself, stop_waits_for_low_tasks) {
  std::atomic<int> ran{0};
  {
    const runtime weft(2);
    const weft_spawn_t low = with_flags(WEFT_SPAWN_LOW);
    for (int i = 0; i < 100; ++i) {
      auto* const body = +[](void* n) -> void* {
        weft_task_yield();
        ++*static_cast<std::atomic<int>*>(n);
        return nullptr;
      };
      ASSERT_EQ(weft_task_spawn_with(body, &ran, &low, nullptr), 0);
    }
  }
  EXPECT_EQ(ran, 100);
}

TEST_F(priority, both_levels_at_once_are_refused) {
  auto nothing = [] {};
  const weft_spawn_t how = with_flags(WEFT_SPAWN_HIGH | WEFT_SPAWN_LOW);
  weft_task_t t = nullptr;
  EXPECT_EQ(weft_task_spawn_with(call<decltype(nothing)>, &nothing, &how, &t), -EINVAL);
}

}  // namespace
}  // namespace weft::test
