// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores, barriers, latches, once, futures, sincs: counts, order, errors. What all waits share
// is in sync_matrix_test.cpp.
#include <cerrno>
#include <functional>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

TEST(semaphore, counts_and_refuses) {
  weft_semaphore_t s = WEFT_SEMAPHORE_INIT(2);
  EXPECT_EQ(weft_semaphore_init(nullptr, 0), -EINVAL);
  EXPECT_EQ(weft_semaphore_init(&s, uint32_t{INT32_MAX} + 1), -EINVAL);
  EXPECT_EQ(weft_semaphore_wait(nullptr), -EINVAL);
  EXPECT_EQ(weft_semaphore_try_wait(nullptr), -EINVAL);
  EXPECT_EQ(weft_semaphore_wait_until(nullptr, 0), -EINVAL);
  EXPECT_EQ(weft_semaphore_post(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_semaphore_value(nullptr), -EINVAL);
  EXPECT_EQ(weft_semaphore_value(&s), 2);
  EXPECT_EQ(weft_semaphore_wait(&s), 0);
  EXPECT_EQ(weft_semaphore_try_wait(&s), 0);
  EXPECT_EQ(weft_semaphore_try_wait(&s), -EBUSY);
  EXPECT_EQ(weft_semaphore_post(&s, 0), 0);
  EXPECT_EQ(weft_semaphore_value(&s), 0);
  EXPECT_EQ(weft_semaphore_post(&s, INT32_MAX), 0);
  EXPECT_EQ(weft_semaphore_value(&s), INT32_MAX);
  EXPECT_EQ(weft_semaphore_post(&s, 1), -EOVERFLOW);
  EXPECT_EQ(weft_semaphore_post(&s, UINT32_MAX), -EOVERFLOW);
  EXPECT_EQ(weft_semaphore_value(&s), INT32_MAX);
  EXPECT_EQ(weft_semaphore_init(&s, 7), 0);
  EXPECT_EQ(weft_semaphore_value(&s), 7);
}

TEST(semaphore, gives_units_to_the_longest_waiting_and_keeps_the_rest) {
  const runtime weft(1);
  weft_semaphore_t s = WEFT_SEMAPHORE_INIT(0);
  letters order;
  std::vector<std::function<void()>> bodies;
  for (const char name : {'a', 'b', 'c'})
    bodies.emplace_back([&s, &order, name] {
      EXPECT_EQ(weft_semaphore_wait(&s), 0);
      order += name;
    });
  std::vector<weft_task_t> tasks;
  for (auto& b : bodies) {
    tasks.push_back(spawn(b));
    EXPECT_EQ(weft_task_yield(), 0);
  }
  EXPECT_EQ(weft_semaphore_post(&s, 2), 0);
  EXPECT_EQ(weft_semaphore_try_wait(&s), -EBUSY);  // given away already
  EXPECT_EQ(weft_task_yield(), 0);
  EXPECT_EQ(order.text(), "ab");
  EXPECT_EQ(weft_semaphore_post(&s, 3), 0);
  EXPECT_EQ(weft_semaphore_value(&s), 2);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(order.text(), "abc");
}

TEST(barrier, of_one_never_waits_and_of_none_is_refused) {
  weft_barrier_t b;
  EXPECT_EQ(weft_barrier_init(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_barrier_init(&b, 0), -EINVAL);
  EXPECT_EQ(weft_barrier_wait(nullptr), -EINVAL);
  EXPECT_EQ(weft_barrier_try_wait(nullptr), -EINVAL);
  EXPECT_EQ(weft_barrier_wait_until(nullptr, 0), -EINVAL);
  ASSERT_EQ(weft_barrier_init(&b, 1), 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(weft_barrier_wait(&b), 1);
    EXPECT_EQ(weft_barrier_try_wait(&b), 1);
    EXPECT_EQ(weft_barrier_wait_until(&b, 0), 1);
  }
}

TEST(barrier, who_gave_up_has_not_arrived) {
  const runtime weft(1);
  weft_barrier_t b;
  ASSERT_EQ(weft_barrier_init(&b, 2), 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(weft_barrier_wait_until(&b, 0), -ETIMEDOUT);
  EXPECT_EQ(weft_barrier_try_wait(&b), -EBUSY);
  int other = -1;
  auto arrives = [&] { other = weft_barrier_wait(&b); };
  const weft_task_t t = spawn(arrives);
  EXPECT_EQ(weft_task_yield(), 0);
  EXPECT_EQ(weft_barrier_wait(&b), 1);
  join(t);
  EXPECT_EQ(other, 0);
}

TEST(latch, opens_at_none_and_not_below) {
  weft_latch_t l = WEFT_LATCH_INIT(3);
  EXPECT_EQ(weft_latch_init(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_latch_count_down(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_latch_wait(nullptr), -EINVAL);
  EXPECT_EQ(weft_latch_try_wait(nullptr), -EINVAL);
  EXPECT_EQ(weft_latch_wait_until(nullptr, 0), -EINVAL);
  EXPECT_EQ(weft_latch_count_down(&l, 4), -EINVAL);
  EXPECT_EQ(weft_latch_count_down(&l, 0), 0);
  EXPECT_EQ(weft_latch_count_down(&l, 2), 0);
  EXPECT_EQ(weft_latch_try_wait(&l), -EBUSY);
  EXPECT_EQ(weft_latch_count_down(&l, 2), -EINVAL);
  EXPECT_EQ(weft_latch_count_down(&l, 1), 0);
  EXPECT_EQ(weft_latch_wait(&l), 0);
  EXPECT_EQ(weft_latch_count_down(&l, 0), 0);
  EXPECT_EQ(weft_latch_count_down(&l, 1), -EINVAL);
  EXPECT_EQ(weft_latch_init(&l, UINT32_MAX), 0);
  EXPECT_EQ(weft_latch_try_wait(&l), -EBUSY);
  EXPECT_EQ(weft_latch_count_down(&l, UINT32_MAX), 0);
  EXPECT_EQ(weft_latch_try_wait(&l), 0);
}

TEST(latch, is_closed_again_by_counting_up) {
  weft_latch_t l = WEFT_LATCH_INIT(0);
  EXPECT_EQ(weft_latch_count_up(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_latch_count_up(&l, 0), 0);
  EXPECT_EQ(weft_latch_try_wait(&l), 0);
  EXPECT_EQ(weft_latch_count_up(&l, 2), 0);
  EXPECT_EQ(weft_latch_try_wait(&l), -EBUSY);
  EXPECT_EQ(weft_latch_count_up(&l, UINT32_MAX - 1), -EOVERFLOW);
  EXPECT_EQ(weft_latch_count_up(&l, UINT32_MAX - 2), 0);
  EXPECT_EQ(weft_latch_count_down(&l, UINT32_MAX), 0);
  EXPECT_EQ(weft_latch_try_wait(&l), 0);
}

TEST(once, may_not_be_asked_for_by_itself) {
  struct again {
    weft_once_t once = WEFT_ONCE_INIT;
    int ran = 0;
    static void run(void* arg) {
      auto* a = static_cast<again*>(arg);
      ++a->ran;
      EXPECT_EQ(weft_once_call(&a->once, run, a), -EDEADLK);
      EXPECT_EQ(weft_once_try_call(&a->once, run, a), -EDEADLK);
      EXPECT_EQ(weft_once_call_until(&a->once, run, a, 0), -EDEADLK);
    }
  } a;
  EXPECT_EQ(weft_once_call(nullptr, again::run, &a), -EINVAL);
  EXPECT_EQ(weft_once_try_call(&a.once, nullptr, &a), -EINVAL);
  EXPECT_EQ(weft_once_call_until(nullptr, nullptr, &a, 0), -EINVAL);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(weft_once_call(&a.once, again::run, &a), 0);
  EXPECT_EQ(a.ran, 1);
  again by_try;
  EXPECT_EQ(weft_once_try_call(&by_try.once, again::run, &by_try), 0);
  EXPECT_EQ(by_try.ran, 1);
}

TEST(future, is_set_once_to_a_value_or_an_error) {
  weft_future_t f = WEFT_FUTURE_INIT;
  int there = 0;
  void* value = nullptr;
  EXPECT_EQ(weft_future_set(nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_future_fail(nullptr, -1), -EINVAL);
  EXPECT_EQ(weft_future_fail(&f, 0), -EINVAL);
  EXPECT_EQ(weft_future_fail(&f, 1), -EINVAL);
  EXPECT_EQ(weft_future_get(nullptr, &value), -EINVAL);
  EXPECT_EQ(weft_future_try_get(nullptr, &value), -EINVAL);
  EXPECT_EQ(weft_future_get_until(nullptr, &value, 0), -EINVAL);
  EXPECT_EQ(weft_future_is_set(nullptr), -EINVAL);
  EXPECT_EQ(weft_future_is_set(&f), 0);
  EXPECT_EQ(weft_future_set(&f, &there), 0);
  EXPECT_EQ(weft_future_is_set(&f), 1);
  EXPECT_EQ(weft_future_set(&f, nullptr), -EALREADY);
  EXPECT_EQ(weft_future_fail(&f, -EIO), -EALREADY);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(weft_future_get(&f, &value), 0);
    EXPECT_EQ(value, &there);
  }
  EXPECT_EQ(weft_future_get(&f, nullptr), 0);
  weft_future_t bad = WEFT_FUTURE_INIT;
  EXPECT_EQ(weft_future_fail(&bad, -EIO), 0);
  EXPECT_EQ(weft_future_is_set(&bad), 1);
  EXPECT_EQ(weft_future_get(&bad, &value), -EIO);
  EXPECT_EQ(weft_future_try_get(&bad, &value), -EIO);
  EXPECT_EQ(weft_future_get_until(&bad, &value, 0), -EIO);
  EXPECT_EQ(weft_future_set(&bad, &there), -EALREADY);
}

void add(void* into, const void* value) {
  *static_cast<int*>(into) += *static_cast<const int*>(value);
}

TEST(sinc, refuses_what_makes_no_sense) {
  weft_sinc_t s;
  const int zero = 0;
  EXPECT_EQ(weft_sinc_init(nullptr, nullptr, 0, nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_sinc_init(&s, nullptr, sizeof zero, add, 1), -EINVAL);
  EXPECT_EQ(weft_sinc_init(&s, &zero, sizeof zero, nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_sinc_init(&s, &zero, 0, nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_sinc_init(&s, &zero, size_t{1} << 40, add, 1), -EINVAL);
  EXPECT_EQ(weft_sinc_submit(nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_sinc_expect(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_sinc_reset(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_sinc_wait(nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_sinc_try_wait(nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_sinc_wait_until(nullptr, nullptr, 0), -EINVAL);
  EXPECT_EQ(weft_sinc_destroy(nullptr), 0);
}

TEST(sinc, counts_without_values) {
  weft_sinc_t s;
  ASSERT_EQ(weft_sinc_init(&s, nullptr, 0, nullptr, 0), 0);
  EXPECT_EQ(weft_sinc_wait(&s, nullptr), 0);  // nothing is expected
  EXPECT_EQ(weft_sinc_submit(&s, nullptr), -EINVAL);
  EXPECT_EQ(weft_sinc_expect(&s, 2), 0);
  EXPECT_EQ(weft_sinc_submit(&s, nullptr), 0);
  EXPECT_EQ(weft_sinc_try_wait(&s, nullptr), -EBUSY);
  EXPECT_EQ(weft_sinc_expect(&s, UINT32_MAX), -EOVERFLOW);
  EXPECT_EQ(weft_sinc_submit(&s, nullptr), 0);
  EXPECT_EQ(weft_sinc_try_wait(&s, nullptr), 0);
  EXPECT_EQ(weft_sinc_destroy(&s), 0);
}

TEST(sinc, counts_the_initial_value_once_and_goes_on_where_it_was) {
  const runtime weft(2);
  weft_sinc_t s;
  const int initial = 100;
  ASSERT_EQ(weft_sinc_init(&s, &initial, sizeof initial, add, 50), 0);
  auto submits = [&] {
    const int one = 1;
    EXPECT_EQ(weft_sinc_submit(&s, &one), 0);
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 50; ++i) tasks.push_back(spawn(submits));
  int sum = 0;
  EXPECT_EQ(weft_sinc_wait(&s, &sum), 0);
  EXPECT_EQ(sum, 150);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(weft_sinc_expect(&s, 2), 0);
  EXPECT_EQ(weft_sinc_try_wait(&s, &sum), -EBUSY);
  submits();
  EXPECT_EQ(weft_sinc_submit(&s, nullptr), 0);  // comes without a value
  EXPECT_EQ(weft_sinc_wait(&s, &sum), 0);
  EXPECT_EQ(sum, 151);
  EXPECT_EQ(weft_sinc_reset(&s, 1), 0);
  submits();
  EXPECT_EQ(weft_sinc_try_wait(&s, &sum), 0);
  EXPECT_EQ(sum, 101);
  EXPECT_EQ(weft_sinc_destroy(&s), 0);
}

// Twice in the same memory, which nobody cleans up in between.
TEST(plain_memory, all_that_zeros_make_may_be_used_and_forgotten) {
  const runtime weft(1);
  struct {
    weft_mutex_t mutex;
    weft_condition_t condition;
    weft_rwlock_t rwlock;
    weft_semaphore_t semaphore;
    weft_latch_t latch;
    weft_once_t once;
    weft_future_t future;
    weft_cancel_t cancel;
  } all;
  for (int i = 0; i < 2; ++i) {
    all = {};
    EXPECT_EQ(weft_latch_wait(&all.latch), 0);
    EXPECT_EQ(weft_semaphore_try_wait(&all.semaphore), -EBUSY);
    EXPECT_EQ(weft_future_is_set(&all.future), 0);
    EXPECT_EQ(weft_cancel_is_requested(&all.cancel), 0);
    int calls = 0;
    auto waits = [&] {
      EXPECT_EQ(weft_once_call(&all.once, [](void* n) { ++*static_cast<int*>(n); }, &calls), 0);
      EXPECT_EQ(weft_rwlock_write_lock(&all.rwlock), 0);
      EXPECT_EQ(weft_rwlock_write_unlock(&all.rwlock), 0);
      EXPECT_EQ(weft_rwlock_read_lock(&all.rwlock), 0);  // for good
      EXPECT_EQ(weft_mutex_lock(&all.mutex), 0);
      EXPECT_EQ(weft_semaphore_post(&all.semaphore, 2), 0);
      EXPECT_EQ(weft_condition_wait(&all.condition, &all.mutex), 0);  // which is never unlocked
      EXPECT_EQ(weft_future_set(&all.future, nullptr), 0);
      EXPECT_EQ(weft_cancel_request(&all.cancel), 0);
    };
    const weft_task_t t = spawn(waits);
    EXPECT_EQ(weft_semaphore_wait(&all.semaphore), 0);
    EXPECT_EQ(weft_mutex_lock(&all.mutex), 0);
    EXPECT_EQ(weft_condition_signal(&all.condition), 0);
    EXPECT_EQ(weft_mutex_unlock(&all.mutex), 0);
    EXPECT_EQ(weft_future_get(&all.future, nullptr), 0);
    join(t);
    EXPECT_EQ(calls, 1);
  }
}

}  // namespace
}  // namespace weft::test
