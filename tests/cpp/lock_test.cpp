// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks, conditions, semaphores, latches, barriers, call_once: with the guards of std, by time, by
// stop. WEFT_TEST_AT_WORKERS
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <weft/weft.hpp>

#include "support.hpp"

namespace weft::test {
namespace {

using namespace std::chrono_literals;
using cpp_lock = at_workers;

template <class Mutex>
class every_mutex : public at_workers {};
using mutexes =
    testing::Types<weft::mutex, weft::recursive_mutex, weft::fair_mutex, weft::shared_mutex>;
TYPED_TEST_SUITE(every_mutex, mutexes);

TYPED_TEST(every_mutex, keeps_others_out_under_any_guard) {
  TypeParam one;
  TypeParam two;
  int count = 0;
  std::vector<task<void>> tasks;
  const int each = scaled(200);
  for (int t = 0; t < 6; ++t)
    tasks.push_back(weft::spawn([&, t] {
      for (int i = 0; i < each; ++i) {
        if (t % 3 == 0) {
          const std::lock_guard held(one);
          const std::lock_guard other(two);
          ++count;
        } else if (t % 3 == 1) {
          const std::scoped_lock held(two, one);
          ++count;
        } else {
          std::unique_lock held(one, std::defer_lock);
          while (!held.try_lock_for(1h)) {
          }
          const std::unique_lock other(two, std::chrono::system_clock::now() + 1h);
          if (!other.owns_lock()) throw std::runtime_error("an hour was over");
          ++count;
          if (i % 10 == 0) weft::this_task::yield();
        }
      }
    }));
  for (auto& t : tasks) t.join();
  EXPECT_EQ(count, 6 * each);
}

TYPED_TEST(every_mutex, is_not_had_while_another_has_it) {
  TypeParam m;
  const std::lock_guard held(m);
  weft::spawn([&] {
    EXPECT_FALSE(m.try_lock());
    EXPECT_FALSE(m.try_lock_for(1ms));
    EXPECT_FALSE(m.try_lock_until(std::chrono::steady_clock::now()));
  }).join();
}

TEST_F(cpp_lock, recursive_is_had_again_by_its_owner) {
  recursive_mutex m;
  const std::lock_guard first(m);
  EXPECT_TRUE(m.try_lock());
  m.unlock();
  weft::spawn([&] { EXPECT_FALSE(m.try_lock()); }).join();
}

TEST_F(cpp_lock, shared_lets_readers_in_together) {
  shared_mutex m;
  {
    const std::shared_lock first(m);
    weft::spawn([&] {
      EXPECT_TRUE(m.try_lock_shared());
      m.unlock_shared();
      EXPECT_TRUE(m.try_lock_shared_for(1h));
      m.unlock_shared();
      EXPECT_FALSE(m.try_lock());
      EXPECT_FALSE(m.try_lock_for(1ms));
    }).join();
  }
  const std::lock_guard writer(m);
  weft::spawn([&] {
    EXPECT_FALSE(m.try_lock_shared());
    EXPECT_FALSE(m.try_lock_shared_until(std::chrono::system_clock::now() + 1ms));
  }).join();
}

TEST_F(cpp_lock, condition_hands_each_item_to_one_of_those_who_wait) {
  mutex m;
  condition_variable some;
  int items = 0;
  int taken = 0;
  const int each = scaled(300);
  std::vector<task<void>> takers;
  for (int t = 0; t < 4; ++t)
    takers.push_back(weft::spawn([&] {
      for (int i = 0; i < each; ++i) {
        std::unique_lock held(m);
        some.wait(held, [&] { return items > 0; });
        --items;
        ++taken;
      }
    }));
  for (int i = 0; i < 4 * each; ++i) {
    {
      const std::lock_guard held(m);
      ++items;
    }
    some.notify_one();
  }
  for (auto& t : takers) t.join();
  EXPECT_EQ(taken, 4 * each);
  std::unique_lock held(m);
  EXPECT_EQ(some.wait_for(held, 1ms), cv_status::timeout);
  EXPECT_FALSE(some.wait_until(held, std::chrono::system_clock::now() + 1ms, [] { return false; }));
  EXPECT_TRUE(some.wait_for(held, 0s, [] { return true; }));
}

// Goes by one millisecond with each look at it, however long the wait between two was.
struct late_clock {
  using duration = std::chrono::milliseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<late_clock>;
  [[maybe_unused]] static constexpr bool is_steady = false;
  static inline int64_t looks = 0;
  static time_point now() { return time_point(duration(looks++)); }
};

// What was notified while nobody waited, between two waits within a call, would be lost.
template <class Condition>
void look_again_before_the_moment() {
  mutex m;
  Condition never;
  std::unique_lock held(m);
  const auto in_10ms = [] {
    return late_clock::time_point(late_clock::duration(late_clock::looks + 10));
  };
  EXPECT_EQ(never.wait_until(held, in_10ms()), cv_status::no_timeout);
  EXPECT_TRUE(held.owns_lock());
  int asked = 0;
  EXPECT_TRUE(never.wait_until(held, in_10ms(), [&] { return ++asked == 3; }));
  EXPECT_FALSE(never.wait_until(held, in_10ms(), [] { return false; }));
}

TEST_F(cpp_lock, condition_looks_again_where_a_clock_is_late) {
  look_again_before_the_moment<condition_variable>();
}

TEST_F(cpp_lock, condition_any_looks_again_where_a_clock_is_late) {
  look_again_before_the_moment<condition_variable_any>();
  mutex m;
  condition_variable_any never;
  std::unique_lock held(m);
  int asked = 0;
  EXPECT_TRUE(never.wait_until(held, std::stop_token(),
                               late_clock::time_point(late_clock::duration(late_clock::looks + 10)),
                               [&] { return ++asked == 3; }));
}

TEST_F(cpp_lock, condition_any_waits_with_any_lock) {
  shared_mutex m;
  condition_variable_any changed;
  int stage = 0;
  std::vector<task<void>> readers;
  for (int t = 0; t < 4; ++t)
    readers.push_back(weft::spawn([&] {
      std::shared_lock held(m);
      changed.wait(held, [&] { return stage >= 1; });
      EXPECT_TRUE(changed.wait_for(held, 1h, [&] { return stage == 2; }));
    }));
  for (int s = 1; s <= 2; ++s) {
    weft::this_task::yield();
    {
      const std::lock_guard held(m);
      stage = s;
    }
    changed.notify_all();
  }
  for (auto& t : readers) t.join();
  std::shared_lock held(m);
  EXPECT_EQ(changed.wait_for(held, 1ms), cv_status::timeout);
  EXPECT_TRUE(held.owns_lock());
}

TEST_F(cpp_lock, condition_any_waits_for_nothing_with_a_lock_that_is_not_held) {
  mutex m;
  condition_variable_any changed;
  {
    std::unique_lock held(m, std::defer_lock);
    EXPECT_THROW(changed.wait(held), std::system_error);
  }
  std::atomic<bool> told{false};
  auto waits = weft::spawn([&] {
    std::unique_lock held(m);
    changed.wait(held, [&] { return told.load(); });
  });
  weft::this_task::yield();
  {
    const std::lock_guard held(m);
    told = true;
  }
  changed.notify_one();
  waits.join();
}

struct counted_lock {
  int unlocks = 0;
  void lock() {}
  void unlock() { ++unlocks; }
};

TEST_F(cpp_lock, condition_any_refuses_a_stackless_task_while_that_has_the_lock) {
  condition_variable_any never;
  weft::spawn({.stackless = true}, [&] {
    counted_lock held;
    EXPECT_THROW(never.wait(held), std::system_error);
    EXPECT_THROW(never.wait_for(held, 1ms), std::system_error);
    EXPECT_EQ(held.unlocks, 0);
  }).join();
  counted_lock held;
  EXPECT_EQ(never.wait_for(held, 1ms), cv_status::timeout);
  EXPECT_EQ(held.unlocks, 1);
}

// Cannot be given up, which it says once a notification is under way.
struct stuck {
  std::atomic<bool>& notified;
  void lock() {}
  [[noreturn]] void unlock() {
    while (!notified) {
    }
    throw std::runtime_error("stuck");
  }
};

// Where the waiter was. Whether somebody writes there.
[[gnu::noinline]] bool stack_is_written_to(const std::atomic<bool>& over) {
  volatile char below[4096] = {};
  while (!over) {
  }
  for (volatile char& c : below)
    if (c != 0) return true;
  return false;
}

TEST_F(cpp_lock, condition_any_is_left_by_an_exception_only_when_nobody_will_wake_the_waiter) {
  for (int i = 0; i < scaled(20); ++i) {
    mutex m;
    condition_variable_any changed;
    bool stage = false;
    std::vector<task<void>> waits;  // they are woken first, which takes a while
    for (int t = 0; t < scaled_alive(3000); ++t)
      waits.push_back(weft::spawn([&] {
        std::unique_lock held(m);
        changed.wait(held, [&] { return stage; });
      }));
    weft::this_task::sleep_for(1ms);
    {
      const std::lock_guard held(m);
      stage = true;
    }
    std::atomic<bool> inside{false};
    std::atomic<bool> notified{false};
    std::atomic<bool> over{false};
    std::thread notifies([&] {
      while (!inside) {
      }
      notified = true;
      changed.notify_all();
      over = true;
    });
    stuck lock{notified};
    inside = true;
    EXPECT_THROW(changed.wait(lock), std::runtime_error);
    EXPECT_FALSE(stack_is_written_to(over));
    notifies.join();
    changed.notify_all();
    for (auto& t : waits) t.join();
  }
}

TEST_F(cpp_lock, condition_any_passes_a_token_round) {
  mutex m;
  condition_variable_any turn;
  const int tasks = 5;
  const int rounds = scaled(200);
  int now = 0;
  std::vector<task<void>> ring;
  for (int t = 0; t < tasks; ++t)
    ring.push_back(weft::spawn([&, t] {
      for (int i = 0; i < rounds; ++i) {
        std::unique_lock held(m);
        if (i % 3 == 0) {
          while (!turn.wait_for(held, 100us, [&] { return now % tasks == t; })) {
          }
        } else {
          turn.wait(held, [&] { return now % tasks == t; });
        }
        ++now;
        turn.notify_all();
      }
    }));
  for (auto& t : ring) t.join();
  EXPECT_EQ(now, tasks * rounds);
}

TEST_F(cpp_lock, condition_any_ends_when_a_stop_is_requested) {
  for (int i = 0; i < scaled(300); ++i) {
    mutex m;
    condition_variable_any never;
    bool said = true;
    auto t = weft::spawn([&](std::stop_token stop) {
      std::unique_lock held(m);
      said = never.wait(held, stop, [] { return false; });
      EXPECT_TRUE(held.owns_lock());
    });
    if (i % 2 == 0) weft::this_task::yield();
    EXPECT_TRUE(t.request_stop());
    t.join();
    EXPECT_FALSE(said);
  }
}

TEST_F(cpp_lock, semaphore_counts) {
  counting_semaphore units(2);
  units.acquire();
  EXPECT_TRUE(units.try_acquire());
  EXPECT_FALSE(units.try_acquire());
  EXPECT_FALSE(units.try_acquire_for(1ms));
  auto waits = weft::spawn([&] { units.acquire(); });
  units.release(2);
  waits.join();
  EXPECT_TRUE(units.try_acquire_until(std::chrono::steady_clock::now()));
  EXPECT_THROW(units.release(-1), std::system_error);
  EXPECT_THROW(binary_semaphore(2), std::system_error);
}

TEST_F(cpp_lock, latch_opens_once_all_have_come) {
  latch all(4);
  std::atomic<int> past{0};
  std::vector<task<void>> tasks;
  for (int i = 0; i < 3; ++i)
    tasks.push_back(weft::spawn([&] {
      all.arrive_and_wait();
      ++past;
    }));
  EXPECT_FALSE(all.try_wait());
  EXPECT_FALSE(all.wait_for(1ms));
  EXPECT_EQ(past, 0);
  all.count_down();
  for (auto& t : tasks) t.join();
  EXPECT_TRUE(all.try_wait());
  EXPECT_THROW(all.count_down(), std::system_error);
  all.count_up(2);
  EXPECT_FALSE(all.try_wait());
  EXPECT_THROW(all.count_up(UINT32_MAX), std::system_error);
  all.count_down(2);
  EXPECT_TRUE(all.try_wait());
}

TEST_F(cpp_lock, barrier_lets_nobody_into_the_next_round_early) {
  constexpr int parties = 5;
  barrier meets(parties);
  std::atomic<int> came{0};
  std::atomic<int> last{0};
  const int rounds = scaled(100);
  auto body = [&] {
    for (int r = 1; r <= rounds; ++r) {
      ++came;
      if (meets.arrive_and_wait()) ++last;
      EXPECT_GE(came, r * parties);
      meets.arrive_and_wait();
    }
  };
  std::vector<task<void>> tasks;
  for (int i = 0; i < parties; ++i) tasks.push_back(weft::spawn(body));
  for (auto& t : tasks) t.join();
  EXPECT_EQ(last, rounds);
  EXPECT_FALSE(meets.arrive_and_wait_for(1ms));
  EXPECT_THROW(barrier(0), std::system_error);
}

TEST_F(cpp_lock, a_stop_request_ends_waits_in_its_scope_by_an_exception) {
  counting_semaphore<> never(0);
  counting_semaphore<> later(0);
  std::errc why{};
  auto waits = weft::spawn([&](std::stop_token stop) {
    const stop_scope inside(stop);
    try {
      never.acquire();
    } catch (const std::system_error& e) {
      why = static_cast<std::errc>(e.code().value());
    }
    const cancel_shield to_the_end;
    later.acquire();
  });
  weft::this_task::yield();
  EXPECT_TRUE(waits.request_stop());
  weft::this_task::yield();
  later.release();
  waits.join();
  EXPECT_EQ(why, std::errc::operation_canceled);
}

TEST_F(cpp_lock, a_canceller_ends_what_its_scope_encloses_and_no_more) {
  canceller inner;
  EXPECT_FALSE(inner.is_requested());
  inner.request();
  EXPECT_TRUE(inner.is_requested());
  counting_semaphore<> units(0);
  {
    const cancel_scope inside(inner);
    EXPECT_THROW(units.acquire(), std::system_error);
    EXPECT_THROW((void)units.try_acquire_for(1h), std::system_error);
    EXPECT_FALSE(units.try_acquire());
  }
  EXPECT_FALSE(units.try_acquire_for(1ms));
}

TEST_F(cpp_lock, call_once_tries_again_after_an_exception) {
  once_flag flag;
  int tries = 0;
  EXPECT_THROW(call_once(flag,
                         [&] {
                           ++tries;
                           throw std::runtime_error("not yet");
                         }),
               std::runtime_error);
  std::vector<task<void>> tasks;
  for (int i = 0; i < 10; ++i)
    tasks.push_back(weft::spawn([&] {
      call_once(
          flag,
          [&](int by) {
            weft::this_task::yield();
            tries += by;
          },
          10);
      EXPECT_EQ(tries, 11);
    }));
  for (auto& t : tasks) t.join();
}

// One worker would never go on if the join ran another task beneath the lock's owner.
TEST_F(cpp_lock, is_held_across_a_join_and_a_wait) {
  mutex m;
  binary_semaphore one_waits(0);
  int inside = 0;
  weft::spawn([&] {
    std::vector<task<void>> others;
    {
      const std::lock_guard held(m);
      auto joined = weft::spawn([&] { ++inside; });
      for (int i = 0; i < 10; ++i)
        others.push_back(weft::spawn([&] {
          one_waits.release();
          const std::lock_guard too(m);
          ++inside;
        }));
      joined.join();
      EXPECT_EQ(inside, 1);
      one_waits.acquire();
      EXPECT_EQ(inside, 1);
    }
    for (auto& t : others) t.join();
  }).join();
  EXPECT_EQ(inside, 11);
}

TEST_F(cpp_lock, scoped_lock_takes_ours_and_those_of_std_together) {
  mutex one;
  fair_mutex two;
  std::mutex three;
  int count = 0;
  std::vector<task<void>> tasks;
  const int each = scaled(300);
  for (int t = 0; t < 4; ++t)
    tasks.push_back(weft::spawn([&, t] {
      for (int i = 0; i < each; ++i) {
        if (t % 2 == 0) {
          const std::scoped_lock all(one, three, two);
          ++count;
        } else {
          const std::scoped_lock all(two, one, three);
          ++count;
        }
      }
    }));
  for (auto& t : tasks) t.join();
  EXPECT_EQ(count, 4 * each);
}

// Before any constructor has run, as those of std.
constinit mutex global_mutex;
constinit shared_mutex global_shared_mutex;
constinit condition_variable global_condition;
constinit condition_variable_any global_condition_any;
constinit counting_semaphore<> global_semaphore(2);
constinit latch global_latch(1);
constinit once_flag global_once;
constinit canceller global_canceller;

TEST_F(cpp_lock, of_constant_initialisation_are_ready) {
  const std::scoped_lock both(global_mutex, global_shared_mutex);
  global_condition.notify_all();
  global_condition_any.notify_all();
  EXPECT_TRUE(global_semaphore.try_acquire());
  EXPECT_TRUE(global_semaphore.try_acquire());
  EXPECT_FALSE(global_semaphore.try_acquire());
  global_semaphore.release(2);
  const latch& seen = global_latch;
  EXPECT_FALSE(seen.try_wait());
  EXPECT_FALSE(seen.wait_for(1ms));
  global_latch.count_down();
  seen.wait();
  global_latch.count_up();
  int calls = 0;
  for (int i = 0; i < 2; ++i) call_once(global_once, [&] { ++calls; });
  EXPECT_LE(calls, 1);
  EXPECT_FALSE(global_canceller.is_requested());
}

}  // namespace
}  // namespace weft::test
