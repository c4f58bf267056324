// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes, conditions and reader/writer locks: order, fairness, errors. What all waits share is in
// sync_matrix_test.cpp.
#include <cerrno>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

TEST(mutex, refuses_what_makes_no_sense) {
  weft_mutex_t m = WEFT_MUTEX_INIT;
  EXPECT_EQ(weft_mutex_init(nullptr, 0), -EINVAL);
  EXPECT_EQ(weft_mutex_init(&m, 4), -EINVAL);
  EXPECT_EQ(weft_mutex_lock(nullptr), -EINVAL);
  EXPECT_EQ(weft_mutex_try_lock(nullptr), -EINVAL);
  EXPECT_EQ(weft_mutex_lock_until(nullptr, 0), -EINVAL);
  EXPECT_EQ(weft_mutex_unlock(nullptr), -EINVAL);
  EXPECT_EQ(weft_mutex_unlock(&m), -EPERM);
  EXPECT_EQ(weft_mutex_lock(&m), 0);
  EXPECT_EQ(weft_mutex_try_lock(&m), -EBUSY);
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
  EXPECT_EQ(weft_mutex_unlock(&m), -EPERM);
}

TEST(mutex, recursive_belongs_to_the_flow_that_locked_it) {
  const runtime weft(1);
  weft_mutex_t m;
  ASSERT_EQ(weft_mutex_init(&m, WEFT_MUTEX_RECURSIVE), 0);
  EXPECT_EQ(weft_mutex_unlock(&m), -EPERM);
  EXPECT_EQ(weft_mutex_lock(&m), 0);
  EXPECT_EQ(weft_mutex_try_lock(&m), 0);
  EXPECT_EQ(weft_mutex_lock_until(&m, 0), 0);
  auto other = [&] {
    EXPECT_EQ(weft_mutex_try_lock(&m), -EBUSY);
    EXPECT_EQ(weft_mutex_unlock(&m), -EPERM);
  };
  join(spawn(other));  // inline, yet another flow
  std::thread(other).join();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(weft_mutex_unlock(&m), 0);
  EXPECT_EQ(weft_mutex_unlock(&m), -EPERM);
  auto locks = [&] {
    EXPECT_EQ(weft_mutex_lock(&m), 0);
    EXPECT_EQ(weft_mutex_unlock(&m), 0);
  };
  join(spawn(locks));
}

TEST(mutex, recursive_is_its_threads_over_a_start_and_a_stop) {
  weft_mutex_t m;
  ASSERT_EQ(weft_mutex_init(&m, WEFT_MUTEX_RECURSIVE), 0);
  EXPECT_EQ(weft_mutex_lock(&m), 0);
  {
    const runtime weft(1);
    EXPECT_EQ(weft_mutex_lock(&m), 0) << "once more";
    auto other = [&] { EXPECT_EQ(weft_mutex_try_lock(&m), -EBUSY); };
    join(spawn(other));
    EXPECT_EQ(weft_mutex_unlock(&m), 0);
    EXPECT_EQ(weft_mutex_unlock(&m), 0);
    EXPECT_EQ(weft_mutex_lock(&m), 0);
  }
  EXPECT_EQ(weft_mutex_try_lock(&m), 0);
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
  EXPECT_EQ(weft_mutex_unlock(&m), -EPERM);
}

// Tasks that lock in the order of their names while main holds the mutex.
std::string order_of_locks(uint32_t flags) {
  const runtime weft(1);
  weft_mutex_t m;
  EXPECT_EQ(weft_mutex_init(&m, flags), 0);
  letters order;
  EXPECT_EQ(weft_mutex_lock(&m), 0);
  std::vector<std::function<void()>> bodies;
  for (const char c : {'a', 'b', 'c', 'd'})
    bodies.emplace_back([&m, &order, c] {
      EXPECT_EQ(weft_mutex_lock(&m), 0);
      order += c;
      EXPECT_EQ(weft_task_yield(), 0);
      EXPECT_EQ(weft_mutex_unlock(&m), 0);
    });
  std::vector<weft_task_t> tasks;
  for (auto& b : bodies) {
    tasks.push_back(spawn(b));
    EXPECT_EQ(weft_task_yield(), 0);  // it waits now
  }
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
  for (const weft_task_t t : tasks) join(t);
  return order.text();
}

TEST(mutex, serves_those_who_wait_in_their_order) {
  EXPECT_EQ(order_of_locks(0), "abcd");
  EXPECT_EQ(order_of_locks(WEFT_MUTEX_HAND_OVER), "abcd");
}

// One task locks again right after each unlock and keeps the mutex over each yield, so whoever is
// woken comes too late. Gives how often it did so while another waited.
int times_overtaken(uint32_t flags) {
  const runtime weft(1);
  weft_mutex_t m;
  EXPECT_EQ(weft_mutex_init(&m, flags), 0);
  int overtaken = 0;
  std::atomic<bool> got{false};
  EXPECT_EQ(weft_mutex_lock(&m), 0);
  auto waits = [&] {
    EXPECT_EQ(weft_mutex_lock(&m), 0);
    got = true;
    EXPECT_EQ(weft_mutex_unlock(&m), 0);
  };
  const weft_task_t t = spawn(waits);
  EXPECT_EQ(weft_task_yield(), 0);
  while (!got && overtaken < 100) {
    EXPECT_EQ(weft_mutex_unlock(&m), 0);
    EXPECT_EQ(weft_mutex_lock(&m), 0);
    if (!got) ++overtaken;
    EXPECT_EQ(weft_task_yield(), 0);
  }
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
  join(t);
  return overtaken;
}

TEST(mutex, a_waiter_is_woken_in_vain_twice_at_most) { EXPECT_EQ(times_overtaken(0), 2); }
TEST(mutex, a_mutex_that_is_handed_over_is_never_overtaken) {
  EXPECT_EQ(times_overtaken(WEFT_MUTEX_HAND_OVER), 0);
}

TEST(condition, refuses_what_makes_no_sense) {
  weft_mutex_t m = WEFT_MUTEX_INIT;
  weft_condition_t c = WEFT_CONDITION_INIT;
  EXPECT_EQ(weft_condition_wait(nullptr, &m), -EINVAL);
  EXPECT_EQ(weft_condition_wait(&c, nullptr), -EINVAL);
  EXPECT_EQ(weft_condition_wait_until(nullptr, nullptr, 0), -EINVAL);
  EXPECT_EQ(weft_condition_signal(nullptr), -EINVAL);
  EXPECT_EQ(weft_condition_broadcast(nullptr), -EINVAL);
  EXPECT_EQ(weft_condition_wait(&c, &m), -EPERM);
  EXPECT_EQ(weft_condition_wait_until(&c, &m, 0), -EPERM);
  EXPECT_EQ(weft_condition_signal(&c), 0);  // nobody waits: forgotten
  EXPECT_EQ(weft_mutex_lock(&m), 0);
  EXPECT_EQ(weft_condition_wait_until(&c, &m, 0), -ETIMEDOUT);
  EXPECT_EQ(weft_mutex_unlock(&m), 0);  // it was held again
}

TEST(condition, a_signal_lets_the_longest_waiting_go_on) {
  const runtime weft(1);
  weft_mutex_t m = WEFT_MUTEX_INIT;
  weft_condition_t c = WEFT_CONDITION_INIT;
  letters order;
  std::vector<std::function<void()>> bodies;
  for (const char name : {'a', 'b', 'c', 'd', 'e'})
    bodies.emplace_back([&m, &c, &order, name] {
      EXPECT_EQ(weft_mutex_lock(&m), 0);
      EXPECT_EQ(weft_condition_wait(&c, &m), 0);
      order += name;
      EXPECT_EQ(weft_mutex_unlock(&m), 0);
    });
  std::vector<weft_task_t> tasks;
  for (auto& b : bodies) {
    tasks.push_back(spawn(b));
    EXPECT_EQ(weft_task_yield(), 0);
  }
  EXPECT_EQ(weft_condition_signal(&c), 0);
  EXPECT_EQ(weft_task_yield(), 0);
  EXPECT_EQ(order.text(), "a");
  EXPECT_EQ(weft_mutex_lock(&m), 0);
  EXPECT_EQ(weft_condition_signal(&c), 0);
  EXPECT_EQ(weft_condition_signal(&c), 0);
  EXPECT_EQ(weft_task_yield(), 0);
  EXPECT_EQ(order.text(), "a");  // main holds the mutex
  EXPECT_EQ(weft_condition_broadcast(&c), 0);
  const uint64_t parks_before = stats().parks;
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(order.text(), "abcde");
  // Woken as owners, none of them parked again: only main did, to join.
  EXPECT_LE(stats().parks - parks_before, 5u);
}

TEST(condition, gives_a_recursive_mutex_up_whole_and_brings_it_back_so) {
  const runtime weft(1);
  weft_mutex_t m;
  ASSERT_EQ(weft_mutex_init(&m, WEFT_MUTEX_RECURSIVE), 0);
  weft_condition_t c = WEFT_CONDITION_INIT;
  auto signals = [&] {
    EXPECT_EQ(weft_mutex_lock(&m), 0);
    EXPECT_EQ(weft_condition_signal(&c), 0);
    EXPECT_EQ(weft_mutex_unlock(&m), 0);
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(weft_mutex_lock(&m), 0);
  const weft_task_t t = spawn(signals);
  EXPECT_EQ(weft_condition_wait(&c, &m), 0);
  EXPECT_EQ(weft_condition_wait_until(&c, &m, 0), -ETIMEDOUT);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(weft_mutex_unlock(&m), 0);
  EXPECT_EQ(weft_mutex_unlock(&m), -EPERM);
  EXPECT_EQ(weft_condition_wait(&c, &m), -EPERM);
  join(t);
}

TEST(rwlock, refuses_what_makes_no_sense) {
  weft_rwlock_t l = WEFT_RWLOCK_INIT;
  EXPECT_EQ(weft_rwlock_read_lock(nullptr), -EINVAL);
  EXPECT_EQ(weft_rwlock_try_read_lock(nullptr), -EINVAL);
  EXPECT_EQ(weft_rwlock_read_lock_until(nullptr, 0), -EINVAL);
  EXPECT_EQ(weft_rwlock_read_unlock(nullptr), -EINVAL);
  EXPECT_EQ(weft_rwlock_write_lock(nullptr), -EINVAL);
  EXPECT_EQ(weft_rwlock_try_write_lock(nullptr), -EINVAL);
  EXPECT_EQ(weft_rwlock_write_lock_until(nullptr, 0), -EINVAL);
  EXPECT_EQ(weft_rwlock_write_unlock(nullptr), -EINVAL);
  EXPECT_EQ(weft_rwlock_read_unlock(&l), -EPERM);
  EXPECT_EQ(weft_rwlock_write_unlock(&l), -EPERM);
  EXPECT_EQ(weft_rwlock_read_lock(&l), 0);
  EXPECT_EQ(weft_rwlock_write_unlock(&l), -EPERM);
  EXPECT_EQ(weft_rwlock_try_read_lock(&l), 0);
  EXPECT_EQ(weft_rwlock_try_write_lock(&l), -EBUSY);
  EXPECT_EQ(weft_rwlock_read_unlock(&l), 0);
  EXPECT_EQ(weft_rwlock_read_unlock(&l), 0);
  EXPECT_EQ(weft_rwlock_write_lock(&l), 0);
  EXPECT_EQ(weft_rwlock_read_unlock(&l), -EPERM);
  EXPECT_EQ(weft_rwlock_try_read_lock(&l), -EBUSY);
  EXPECT_EQ(weft_rwlock_write_unlock(&l), 0);
}

TEST(rwlock, phases_of_readers_and_single_writers_take_turns) {
  const runtime weft(1);
  weft_rwlock_t l = WEFT_RWLOCK_INIT;
  letters order;
  std::vector<std::function<void()>> bodies;
  for (const char name : std::string("rWrWr"))
    bodies.emplace_back([&l, &order, name] {
      if (name == 'W') {
        EXPECT_EQ(weft_rwlock_write_lock(&l), 0);
        order += 'W';
        EXPECT_EQ(weft_rwlock_write_unlock(&l), 0);
      } else {
        EXPECT_EQ(weft_rwlock_read_lock(&l), 0);
        order += 'r';
        EXPECT_EQ(weft_rwlock_read_unlock(&l), 0);
      }
    });
  EXPECT_EQ(weft_rwlock_write_lock(&l), 0);
  std::vector<weft_task_t> tasks;
  for (auto& b : bodies) {
    tasks.push_back(spawn(b));
    EXPECT_EQ(weft_task_yield(), 0);
  }
  EXPECT_EQ(weft_rwlock_write_unlock(&l), 0);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(order.text(), "rrrWW");
}

TEST(rwlock, a_writer_that_waits_goes_before_later_readers) {
  const runtime weft(1);
  weft_rwlock_t l = WEFT_RWLOCK_INIT;
  letters order;
  auto writes = [&] {
    EXPECT_EQ(weft_rwlock_write_lock(&l), 0);
    order += 'W';
    EXPECT_EQ(weft_rwlock_write_unlock(&l), 0);
  };
  auto reads = [&] {
    EXPECT_EQ(weft_rwlock_read_lock(&l), 0);
    order += 'r';
    EXPECT_EQ(weft_rwlock_read_unlock(&l), 0);
  };
  EXPECT_EQ(weft_rwlock_read_lock(&l), 0);
  const weft_task_t w = spawn(writes);
  EXPECT_EQ(weft_task_yield(), 0);
  EXPECT_EQ(weft_rwlock_try_read_lock(&l), -EBUSY);
  const weft_task_t r = spawn(reads);
  EXPECT_EQ(weft_task_yield(), 0);
  EXPECT_EQ(order.text(), "");
  EXPECT_EQ(weft_rwlock_read_unlock(&l), 0);
  join(w);
  join(r);
  EXPECT_EQ(order.text(), "Wr");
}

TEST(rwlock, a_writer_that_gives_up_lets_the_readers_behind_it_in) {
  const runtime weft(1);
  weft_rwlock_t l = WEFT_RWLOCK_INIT;
  std::atomic<bool> read{false};
  auto reads = [&] {
    EXPECT_EQ(weft_rwlock_read_lock(&l), 0);
    read = true;
    EXPECT_EQ(weft_rwlock_read_unlock(&l), 0);
  };
  weft_task_t r = nullptr;
  auto gives_up = [&] {
    // The reader runs while this waits, finds a writer before it, and waits as well.
    r = spawn(reads);
    const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    EXPECT_EQ(
        weft_rwlock_write_lock_until(
            &l,
            std::chrono::duration_cast<std::chrono::nanoseconds>(soon.time_since_epoch()).count()),
        -ETIMEDOUT);
  };
  EXPECT_EQ(weft_rwlock_read_lock(&l), 0);
  run_apart(gives_up);
  join(r);  // main still holds its share
  EXPECT_TRUE(read);
  EXPECT_EQ(weft_rwlock_read_unlock(&l), 0);
  EXPECT_EQ(weft_rwlock_try_write_lock(&l), 0);
}

}  // namespace
}  // namespace weft::test
