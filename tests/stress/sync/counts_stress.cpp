// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores, barriers, latches, once, futures and sincs, each freed by whoever is first through
// it. WEFT_TEST_AT_WORKERS
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"

namespace weft::rt {
namespace {

constexpr int rounds = build::tsan || build::asan ? 100 : 1'000;

class counts_stress : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(weft_start(nullptr), 0); }
  void TearDown() override { EXPECT_EQ(weft_stop(), 0); }

  // Runs body(i) in count - 1 tasks and in one foreign thread.
  static void everywhere(int count, const std::function<void(int)>& body) {
    struct one {
      const std::function<void(int)>* body;
      int number;
    };
    std::vector<one> all;
    for (int i = 1; i < count; ++i) all.push_back({&body, i});
    std::vector<weft_task_t> handles(all.size());
    ASSERT_EQ(weft_task_spawn_many(
                  [](void* arg) -> void* {
                    const one& o = *static_cast<one*>(arg);
                    (*o.body)(o.number);
                    return nullptr;
                  },
                  all.data(), sizeof all[0], all.size(), handles.data()),
              0);
    std::thread foreign(body, 0);
    ASSERT_EQ(weft_task_join_many(handles.data(), handles.size(), nullptr), 0);
    foreign.join();
  }

  static int64_t soon() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
               .count() +
           20'000;
  }
};

TEST_F(counts_stress, a_semaphore_lets_no_more_in_than_it_has_units) {
  constexpr int units = 3;
  weft_semaphore_t s = WEFT_SEMAPHORE_INIT(units);
  std::atomic<int> inside{0};
  std::atomic<int64_t> entered{0};
  std::atomic<int64_t> refused{0};
  everywhere(30, [&](int number) {
    for (int i = 0; i < rounds; ++i) {
      const int how = (i + number) % 3;
      const int failed = how == 0   ? weft_semaphore_wait(&s)
                         : how == 1 ? weft_semaphore_try_wait(&s)
                                    : weft_semaphore_wait_until(&s, soon());
      if (failed != 0) {
        ASSERT_EQ(failed, how == 1 ? -EBUSY : -ETIMEDOUT);
        ++refused;
        continue;
      }
      ASSERT_LE(++inside, units);
      if (i % 2 == 0) weft_task_yield();
      --inside;
      ++entered;
      ASSERT_EQ(weft_semaphore_post(&s, 1), 0);
    }
  });
  EXPECT_EQ(entered + refused, int64_t{30} * rounds);
  EXPECT_EQ(weft_semaphore_value(&s), units);
}

TEST_F(counts_stress, posts_of_many_units_wake_as_many) {
  weft_semaphore_t s = WEFT_SEMAPHORE_INIT(0);
  std::atomic<int64_t> taken{0};
  everywhere(16, [&](int number) {
    if (number == 1) {
      for (int i = 0; i < rounds; ++i) {
        ASSERT_EQ(weft_semaphore_post(&s, 15), 0);
        if (i % 4 == 0) weft_task_yield();
      }
      return;
    }
    for (int i = 0; i < rounds; ++i) {
      ASSERT_EQ(weft_semaphore_wait(&s), 0);
      ++taken;
    }
  });
  EXPECT_EQ(taken, int64_t{15} * rounds);
  EXPECT_EQ(weft_semaphore_value(&s), 0);
}

// A plain array is written by one before each barrier and read by all after it.
TEST_F(counts_stress, a_barrier_orders_rounds_and_names_one_last) {
  constexpr int parties = 9;
  weft_barrier_t b;
  ASSERT_EQ(weft_barrier_init(&b, parties), 0);
  int written[2] = {-1, -1};
  std::atomic<int> last{0};
  everywhere(parties, [&](int number) {
    for (int i = 0; i < rounds; ++i) {
      if (i % parties == number) written[i % 2] = i;
      int r;
      do {
        r = i % 3 == 0 ? weft_barrier_wait_until(&b, soon()) : weft_barrier_wait(&b);
      } while (r == -ETIMEDOUT);
      ASSERT_GE(r, 0);
      last += r;
      ASSERT_EQ(written[i % 2], i);
    }
  });
  EXPECT_EQ(last, rounds);
}

// Whoever is through first frees the object: its makers may not touch it after the last can know.
template <class T, class Make, class Wait, class Give>
void freed_by_the_waiter(Make make, Wait wait, Give give) {
  std::vector<std::atomic<T*>> objects(rounds);
  for (auto& o : objects) o = make();
  struct flows {
    std::function<void()> body;
    static void* run(void* arg) {
      static_cast<flows*>(arg)->body();
      return nullptr;
    }
  };
  flows waiter{[&] {
    for (auto& o : objects) {
      T* mine = o.load();
      wait(*mine);
      delete mine;
    }
  }};
  const auto give_all = [&] {
    for (auto& o : objects) give(*o.load());
  };
  weft_task_t task = nullptr;
  ASSERT_EQ(weft_task_spawn(flows::run, &waiter, &task), 0);
  std::thread thread(give_all);
  ASSERT_EQ(weft_task_join(task, nullptr), 0);
  thread.join();
}

TEST_F(counts_stress, a_semaphore_may_be_freed_by_who_took_the_unit) {
  freed_by_the_waiter<weft_semaphore_t>(
      [] { return new weft_semaphore_t(WEFT_SEMAPHORE_INIT(0)); },
      [](weft_semaphore_t& s) { ASSERT_EQ(weft_semaphore_wait(&s), 0); },
      [](weft_semaphore_t& s) { ASSERT_EQ(weft_semaphore_post(&s, 1), 0); });
}

TEST_F(counts_stress, a_latch_may_be_freed_by_who_waited) {
  freed_by_the_waiter<weft_latch_t>(
      [] { return new weft_latch_t(WEFT_LATCH_INIT(1)); },
      [](weft_latch_t& l) { ASSERT_EQ(weft_latch_wait(&l), 0); },
      [](weft_latch_t& l) { ASSERT_EQ(weft_latch_count_down(&l, 1), 0); });
}

// Others count down what it was counted up by before.
TEST_F(counts_stress, a_latch_that_was_counted_up_is_closed_until_it_is_counted_down) {
  weft_latch_t latch = WEFT_LATCH_INIT(0);
  std::atomic<int> due{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i)
    others.emplace_back([&] {
      while (!over) {
        int n = due;
        if (n == 0) std::this_thread::yield();
        if (n > 0 && due.compare_exchange_strong(n, n - 1)) {
          EXPECT_EQ(weft_latch_count_down(&latch, 1), 0);
        }
      }
    });
  for (int i = 0; i < 20 * rounds; ++i) {
    EXPECT_EQ(weft_latch_count_up(&latch, 1), 0);
    EXPECT_EQ(weft_latch_try_wait(&latch), -EBUSY) << "nobody has counted that down";
    ++due;
    if (i % 64 == 0) {
      EXPECT_EQ(weft_latch_wait(&latch), 0);
    }
  }
  EXPECT_EQ(weft_latch_wait(&latch), 0);
  EXPECT_EQ(due, 0);
  over = true;
  for (std::thread& t : others) t.join();
}

TEST_F(counts_stress, a_future_may_be_freed_by_who_got_it) {
  freed_by_the_waiter<weft_future_t>(
      [] { return new weft_future_t(WEFT_FUTURE_INIT); },
      [](weft_future_t& f) {
        void* value = nullptr;
        ASSERT_EQ(weft_future_get(&f, &value), 0);
        ASSERT_EQ(value, &f);
      },
      [](weft_future_t& f) { ASSERT_EQ(weft_future_set(&f, &f), 0); });
}

TEST_F(counts_stress, a_barrier_may_be_freed_by_who_passed_last) {
  struct pair {
    weft_barrier_t barrier;
    std::atomic<int> passed{0};
  };
  freed_by_the_waiter<pair>(
      [] {
        auto* p = new pair;
        EXPECT_EQ(weft_barrier_init(&p->barrier, 2), 0);
        return p;
      },
      [](pair& p) {
        ASSERT_GE(weft_barrier_wait(&p.barrier), 0);
        while (p.passed == 0) weft_task_yield();
      },
      [](pair& p) {
        ASSERT_GE(weft_barrier_wait(&p.barrier), 0);
        p.passed = 1;
      });
}

TEST_F(counts_stress, once_runs_once_however_many_come) {
  std::vector<weft_once_t> all(rounds, weft_once_t WEFT_ONCE_INIT);
  std::vector<int> ran(rounds, 0);
  everywhere(12, [&](int number) {
    for (size_t i = 0; i < all.size(); ++i) {
      const auto body = [](void* arg) {
        weft_task_yield();
        ++*static_cast<int*>(arg);
      };
      int failed;
      do {
        failed = number % 3 == 0 ? weft_once_call_until(&all[i], body, &ran[i], soon())
                                 : weft_once_call(&all[i], body, &ran[i]);
      } while (failed == -ETIMEDOUT);
      ASSERT_EQ(failed, 0);
      ASSERT_EQ(ran[i], 1);
    }
  });
}

TEST_F(counts_stress, a_sinc_reduces_each_submission_once) {
  constexpr int flows = 16;
  for (int round = 0; round < rounds / 10; ++round) {
    weft_sinc_t s;
    const int64_t initial = 5;
    ASSERT_EQ(weft_sinc_init(
                  &s, &initial, sizeof initial,
                  [](void* into, const void* v) {
                    *static_cast<int64_t*>(into) += *static_cast<const int64_t*>(v);
                  },
                  flows),
              0);
    everywhere(flows, [&](int number) {
      if (number % 4 == 0) {
        ASSERT_EQ(weft_sinc_expect(&s, 2), 0);
      }
      for (int i = 0; i < (number % 4 == 0 ? 3 : 1); ++i) {
        const int64_t value = number;
        ASSERT_EQ(weft_sinc_submit(&s, &value), 0);
      }
      int64_t sum = 0;
      if (number % 2 == 0) {
        ASSERT_EQ(weft_sinc_wait(&s, &sum), 0);
      } else {
        ASSERT_EQ(weft_sinc_wait_until(&s, &sum, INT64_MAX - 1), 0);
      }
      ASSERT_EQ(sum, 5 + flows * (flows - 1) / 2 + 2 * (0 + 4 + 8 + 12));
    });
    EXPECT_EQ(weft_sinc_submit(&s, &initial), -EINVAL);
    ASSERT_EQ(weft_sinc_destroy(&s), 0);
  }
}

}  // namespace
}  // namespace weft::rt
