// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selects over everything at once, against those who make it ready: each unit is taken exactly
// once. WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"

namespace weft::rt {
namespace {

constexpr int units_each = build::tsan ? 300 : build::asan ? 1'000 : 20'000;
constexpr int makers = 4;
constexpr int takers = 6;
constexpr int64_t all_units = int64_t{makers} * units_each;

// Units lie in a channel, a semaphore and a word; each has a number, so that sums show more than
// counts.
struct market {
  weft_channel_t values = nullptr;
  weft_channel_t over = nullptr;  // closed when all units have been taken
  weft_semaphore_t units = WEFT_SEMAPHORE_INIT(0);
  alignas(8) uint64_t word = 0;
  weft_mutex_t mutex = WEFT_MUTEX_INIT;
  int64_t locked = 0;  // under the mutex
  std::atomic<int64_t> locks{0};
  std::atomic<int64_t> made_sum{0};
  std::atomic<int64_t> taken_sum{0};
  std::atomic<int64_t> taken{0};
};

struct actor {
  market* m;
  unsigned seed;
};

void* make_units(void* arg) {
  const auto* me = static_cast<actor*>(arg);
  market& m = *me->m;
  std::minstd_rand random(me->seed);
  for (int i = 1; i <= units_each; ++i) {
    const unsigned where = static_cast<unsigned>(random()) % 4;
    int64_t number = where == 0 ? 0 : i;
    if (where == 0) {
      EXPECT_EQ(weft_semaphore_post(&m.units, 1), 0);
    } else if (where == 1) {
      EXPECT_EQ(weft_word_write_ef(&m.word, static_cast<uint64_t>(number)), 0);
    } else if (where == 2) {
      EXPECT_EQ(weft_channel_send(m.values, &number), 0);
    } else {
      weft_case_t cases[] = {weft_case_send(m.values, &number),
                             weft_case_write_ef(&m.word, static_cast<uint64_t>(number))};
      const int made = weft_case_select(cases, 2);
      EXPECT_GE(made, 0);
      EXPECT_EQ(cases[made].result, 0);
    }
    m.made_sum += number;
  }
  return nullptr;
}

void* take_units(void* arg) {
  const auto* me = static_cast<actor*>(arg);
  market& m = *me->m;
  std::minstd_rand random(me->seed);
  for (;;) {
    int64_t value = 0;
    uint64_t from_word = 0;
    weft_case_t cases[] = {weft_case_receive(m.values, &value), weft_case_semaphore(&m.units),
                           weft_case_read_fe(&m.word, &from_word),
                           weft_case_receive(m.over, nullptr), weft_case_mutex(&m.mutex)};
    // Now and then the mutex too, which is never short for long.
    const std::size_t count = random() % 4 == 0 ? 5 : 4;
    const int64_t soon = weft_time_now_ns() + static_cast<int64_t>(random() % 50'000);
    const int taken = random() % 3 == 0 ? weft_case_select_until(cases, count, soon)
                                        : weft_case_select(cases, count);
    if (taken == -ETIMEDOUT) continue;
    if (taken < 0) {
      ADD_FAILURE() << taken;
      return nullptr;
    }
    if (taken == 3) {
      EXPECT_EQ(cases[3].result, -EPIPE);
      return nullptr;
    }
    EXPECT_EQ(cases[taken].result, 0);
    if (taken == 4) {
      ++m.locked;
      ++m.locks;
      if (random() % 8 == 0) (void)weft_task_yield();
      EXPECT_EQ(weft_mutex_unlock(&m.mutex), 0);
      continue;
    }
    m.taken_sum += taken == 0 ? value : static_cast<int64_t>(from_word);
    if (++m.taken == all_units) {
      EXPECT_EQ(weft_channel_close(m.over), 0);
    }
  }
}

TEST(select_stress, every_unit_is_taken_once) {
  ASSERT_EQ(weft_start(nullptr), 0);
  market m;
  ASSERT_EQ(weft_channel_create(sizeof(int64_t), 2, &m.values), 0);
  ASSERT_EQ(weft_channel_create(0, 0, &m.over), 0);
  ASSERT_EQ(weft_word_empty(&m.word), 0);
  std::vector<actor> actors;
  for (int i = 0; i < makers + takers; ++i) actors.push_back({&m, static_cast<unsigned>(i + 1)});
  std::vector<weft_task_t> tasks;
  std::atomic<int> outside_ended{0};
  std::vector<std::thread> outside;
  for (int i = 0; i < makers + takers; ++i) {
    const weft_fn_t fn = i < makers ? make_units : take_units;
    if (i == 0 || i == makers) {
      outside.emplace_back([&outside_ended, fn, &a = actors[i]] {
        fn(&a);
        ++outside_ended;
      });
      continue;
    }
    tasks.push_back(nullptr);
    ASSERT_EQ(weft_task_spawn(fn, &actors[i], &tasks.back()), 0);
  }
  // The ends of the tasks are awaited by selects, too.
  for (std::size_t left = tasks.size(); left > 0; --left) {
    std::vector<weft_case_t> cases;
    for (const weft_task_t t : tasks) cases.push_back(weft_case_join(t, nullptr));
    const int ended = weft_case_select(cases.data(), cases.size());
    ASSERT_GE(ended, 0);
    ASSERT_EQ(cases[ended].result, 0);
    tasks[ended] = nullptr;
  }
  while (outside_ended < 2) ASSERT_EQ(weft_task_yield(), 0);
  for (std::thread& t : outside) t.join();
  EXPECT_EQ(m.taken, all_units);
  EXPECT_EQ(m.taken_sum, m.made_sum);
  EXPECT_EQ(m.locked, m.locks);
  EXPECT_EQ(weft_semaphore_value(&m.units), 0);
  EXPECT_EQ(weft_word_status(&m.word), 0);
  EXPECT_EQ(weft_word_fill(&m.word), 0);
  EXPECT_EQ(weft_channel_destroy(m.values), 0);
  EXPECT_EQ(weft_channel_destroy(m.over), 0);
  EXPECT_EQ(weft_stop(), 0);
}

}  // namespace
}  // namespace weft::rt
