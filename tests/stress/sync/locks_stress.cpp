// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes, conditions and reader/writer locks under tasks and foreign threads at once: counts add
// up. WEFT_TEST_AT_WORKERS
#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"

namespace weft::rt {
namespace {

constexpr int tasks = 40;
constexpr int threads = 2;
constexpr int rounds = build::tsan || build::asan ? 300 : 3'000;

int64_t soon() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
             .count() +
         20'000;
}

class locks_stress : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(weft_start(nullptr), 0); }
  void TearDown() override { EXPECT_EQ(weft_stop(), 0); }

  // Runs body(i) in so many tasks, and in foreign threads beside them.
  static void everywhere(const std::function<void(int)>& body) {
    struct one {
      const std::function<void(int)>* body;
      int number;
    };
    std::vector<one> all;
    for (int i = 0; i < tasks + threads; ++i) all.push_back({&body, i});
    std::vector<weft_task_t> handles(tasks);
    ASSERT_EQ(weft_task_spawn_many(
                  [](void* arg) -> void* {
                    const one& o = *static_cast<one*>(arg);
                    (*o.body)(o.number);
                    return nullptr;
                  },
                  all.data(), sizeof all[0], tasks, handles.data()),
              0);
    std::vector<std::thread> foreign;
    for (int i = tasks; i < tasks + threads; ++i) foreign.emplace_back(body, i);
    ASSERT_EQ(weft_task_join_many(handles.data(), tasks, nullptr), 0);
    for (std::thread& t : foreign) t.join();
  }
};

// Each flow locks in each of the three ways, holds now over a yield, and counts without an atomic.
void count_under(uint32_t flags) {
  weft_mutex_t m;
  ASSERT_EQ(weft_mutex_init(&m, flags), 0);
  int64_t count = 0;
  std::vector<int64_t> expected(tasks + threads, 0);
  const auto body = [&](int number) {
    int64_t mine = 0;
    for (int i = 0; i < rounds; ++i) {
      const int how = (i + number) % 3;
      const int failed = how == 0   ? weft_mutex_lock(&m)
                         : how == 1 ? weft_mutex_try_lock(&m)
                                    : weft_mutex_lock_until(&m, soon());
      if (failed != 0) {
        ASSERT_EQ(failed, how == 1 ? -EBUSY : -ETIMEDOUT);
        if (i % 16 == 0) weft_task_yield();
        continue;
      }
      ++count;
      ++mine;
      if (i % 8 == 0) weft_task_yield();
      ASSERT_EQ(weft_mutex_unlock(&m), 0);
    }
    expected[static_cast<size_t>(number)] = mine;
  };
  struct fixture : locks_stress {
    using locks_stress::everywhere;
    void TestBody() override {}
  };
  fixture::everywhere(body);
  int64_t sum = 0;
  for (const int64_t e : expected) sum += e;
  EXPECT_EQ(count, sum);
  EXPECT_GE(sum, int64_t{rounds} / 3 * (tasks + threads));
  EXPECT_EQ(weft_mutex_try_lock(&m), 0);
}

TEST_F(locks_stress, a_mutex_keeps_counts) { count_under(0); }
TEST_F(locks_stress, a_recursive_mutex_keeps_counts) { count_under(WEFT_MUTEX_RECURSIVE); }
TEST_F(locks_stress, a_mutex_that_is_handed_over_keeps_counts) {
  count_under(WEFT_MUTEX_HAND_OVER);
}

// Each mutex is first used by one flow alone, and becomes everybody's while that one is at it.
TEST_F(locks_stress, mutexes_keep_counts_while_they_become_shared) {
  constexpr int each = 4;
  struct counter {
    weft_mutex_t mutex = WEFT_MUTEX_INIT;
    int64_t count = 0;
  };
  for (int again = 0; again < 10; ++again) {
    std::vector<counter> all(rounds);
    everywhere([&](int) {
      for (counter& c : all)
        for (int i = 0; i < each; ++i) {
          ASSERT_EQ(weft_mutex_lock(&c.mutex), 0);
          ++c.count;
          ASSERT_EQ(weft_mutex_unlock(&c.mutex), 0);
        }
    });
    for (const counter& c : all) ASSERT_EQ(c.count, each * (tasks + threads));
  }
}

// A ring of few places between producers and consumers, half of which give up now and then.
TEST_F(locks_stress, conditions_pass_every_item_once) {
  constexpr int places = 3;
  constexpr int producers = (tasks + threads) / 2;
  constexpr int per_flow = rounds / 10;
  weft_mutex_t m = WEFT_MUTEX_INIT;
  weft_condition_t not_full = WEFT_CONDITION_INIT;
  weft_condition_t not_empty = WEFT_CONDITION_INIT;
  int64_t ring[places] = {};
  int first = 0;
  int filled = 0;
  int64_t sum = 0;
  const auto wait = [&](weft_condition_t& c, bool timed) {
    const int failed =
        timed ? weft_condition_wait_until(&c, &m, soon()) : weft_condition_wait(&c, &m);
    ASSERT_TRUE(failed == 0 || (timed && failed == -ETIMEDOUT));
  };
  everywhere([&](int number) {
    const bool produces = number % 2 == 0;
    for (int i = 0; i < per_flow; ++i) {
      const bool timed = i % 4 == number % 4;
      ASSERT_EQ(weft_mutex_lock(&m), 0);
      if (produces) {
        while (filled == places) wait(not_full, timed);
        ring[(first + filled) % places] = int64_t{number} * per_flow + i;
        ++filled;
        ASSERT_EQ(
            i % 3 == 0 ? weft_condition_broadcast(&not_empty) : weft_condition_signal(&not_empty),
            0);
      } else {
        while (filled == 0) wait(not_empty, timed);
        sum += ring[first];
        first = (first + 1) % places;
        --filled;
        ASSERT_EQ(weft_condition_signal(&not_full), 0);
      }
      ASSERT_EQ(weft_mutex_unlock(&m), 0);
    }
  });
  int64_t expected = 0;
  for (int64_t p = 0; p < producers; ++p)
    for (int64_t i = 0; i < per_flow; ++i) expected += 2 * p * per_flow + i;
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(filled, 0);
}

TEST_F(locks_stress, readers_see_what_whole_writers_left) {
  weft_rwlock_t l = WEFT_RWLOCK_INIT;
  int64_t a = 0;
  int64_t b = 0;
  std::atomic<int64_t> written{0};
  everywhere([&](int number) {
    for (int i = 0; i < rounds; ++i) {
      const int how = (i + number) % 3;
      if ((i + number) % 5 == 0) {
        const int failed = how == 0   ? weft_rwlock_write_lock(&l)
                           : how == 1 ? weft_rwlock_try_write_lock(&l)
                                      : weft_rwlock_write_lock_until(&l, soon());
        if (failed != 0) continue;
        ++a;
        if (i % 2 == 0) weft_task_yield();
        ++b;
        ++written;
        ASSERT_EQ(weft_rwlock_write_unlock(&l), 0);
      } else {
        const int failed = how == 0   ? weft_rwlock_read_lock(&l)
                           : how == 1 ? weft_rwlock_try_read_lock(&l)
                                      : weft_rwlock_read_lock_until(&l, soon());
        if (failed != 0) continue;
        ASSERT_EQ(a, b);
        if (i % 8 == 0) weft_task_yield();
        ASSERT_EQ(weft_rwlock_read_unlock(&l), 0);
      }
    }
  });
  EXPECT_EQ(a, written);
  EXPECT_EQ(b, written);
  EXPECT_EQ(weft_rwlock_try_write_lock(&l), 0);
}

}  // namespace
}  // namespace weft::rt
