// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scopes of cancellers, beyond what the matrix of all waits shows: WEFT_TEST_AT_WORKERS.
#include <atomic>
#include <cerrno>
#include <deque>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

constexpr int64_t an_hour_ns = 3'600'000'000'000;

// In a scope of its own.
struct scoped {
  explicit scoped(weft_cancel_t* c) { EXPECT_EQ(weft_cancel_enter(c, &scope), 0); }
  ~scoped() { EXPECT_EQ(weft_cancel_leave(&scope), 0); }
  weft_cancel_scope_t scope;
};

class cancel : public at_workers {
 protected:
  // As spawn and run_apart, of what the test keeps. By one flow at a time.
  weft_task_t start(std::function<void()> body) {
    return spawn(bodies_.emplace_back(std::move(body)));
  }
  void apart(std::function<void()> body) { run_apart(bodies_.emplace_back(std::move(body))); }

  weft_cancel_t outer_ = WEFT_CANCEL_INIT;
  weft_cancel_t inner_ = WEFT_CANCEL_INIT;
  weft_semaphore_t never_ = WEFT_SEMAPHORE_INIT(0);
  std::deque<std::function<void()>> bodies_;

  // Requests c as soon as others run, and when the caller most likely waits.
  weft_task_t request_soon(weft_cancel_t& c) {
    return start([&c] {
      weft_task_yield();
      EXPECT_EQ(weft_cancel_request(&c), 0);
    });
  }
};

TEST_F(cancel, bad_arguments_are_refused) {
  weft_cancel_scope_t scope{};
  EXPECT_EQ(weft_cancel_request(nullptr), -EINVAL);
  EXPECT_EQ(weft_cancel_is_requested(nullptr), -EINVAL);
  EXPECT_EQ(weft_cancel_enter(&outer_, nullptr), -EINVAL);
  EXPECT_EQ(weft_cancel_leave(nullptr), -EINVAL);
  EXPECT_EQ(weft_cancel_leave(&scope), -EINVAL);
}

TEST_F(cancel, a_request_is_seen_and_may_be_repeated) {
  EXPECT_EQ(weft_cancel_is_requested(&outer_), 0);
  EXPECT_EQ(weft_cancel_request(&outer_), 0);
  EXPECT_EQ(weft_cancel_request(&outer_), 0);
  EXPECT_EQ(weft_cancel_is_requested(&outer_), 1);
}

TEST_F(cancel, an_outer_request_ends_waits_of_inner_scopes_and_not_the_converse) {
  apart([&] {
    const scoped out(&outer_);
    {
      const scoped in(&inner_);
      const weft_task_t t = request_soon(outer_);
      EXPECT_EQ(weft_semaphore_wait(&never_), -ECANCELED);
      join(t);
      EXPECT_EQ(weft_cancel_is_requested(&inner_), 0);
    }
    EXPECT_EQ(weft_semaphore_wait(&never_), -ECANCELED);
  });
  apart([&] {
    weft_cancel_t fresh = WEFT_CANCEL_INIT;
    const scoped out(&fresh);
    EXPECT_EQ(weft_cancel_request(&inner_), 0);
    {
      const scoped in(&inner_);
      EXPECT_EQ(weft_semaphore_wait(&never_), -ECANCELED);
    }
    const weft_task_t t = start([&] { EXPECT_EQ(weft_semaphore_post(&never_, 1), 0); });
    EXPECT_EQ(weft_semaphore_wait(&never_), 0);
    join(t);
  });
}

TEST_F(cancel, a_shield_keeps_outer_requests_away_and_inner_ones_not) {
  apart([&] {
    EXPECT_EQ(weft_cancel_request(&outer_), 0);
    const scoped out(&outer_);
    const scoped shield(nullptr);
    const weft_task_t t = start([&] { EXPECT_EQ(weft_semaphore_post(&never_, 1), 0); });
    EXPECT_EQ(weft_semaphore_wait(&never_), 0);
    join(t);
    EXPECT_EQ(weft_cancel_request(&inner_), 0);
    const scoped in(&inner_);
    EXPECT_EQ(weft_semaphore_wait(&never_), -ECANCELED);
  });
}

TEST_F(cancel, a_shield_outside_all_scopes_is_nothing) {
  const scoped shield(nullptr);
  EXPECT_EQ(weft_semaphore_wait_until(&never_, 0), -ETIMEDOUT);
}

TEST_F(cancel, a_shield_outside_all_scopes_is_left_once) {
  weft_cancel_scope_t shield;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(weft_cancel_enter(nullptr, &shield), 0);
    EXPECT_EQ(weft_cancel_leave(&shield), 0);
    EXPECT_EQ(weft_cancel_leave(&shield), -EINVAL);
  }
}

TEST_F(cancel, scopes_are_left_in_reverse_order_by_the_flow_that_entered) {
  weft_cancel_scope_t first;
  weft_cancel_scope_t second;
  ASSERT_EQ(weft_cancel_enter(&outer_, &first), 0);
  ASSERT_EQ(weft_cancel_enter(&inner_, &second), 0);
  EXPECT_EQ(weft_cancel_leave(&first), -EINVAL);
  apart([&] { EXPECT_EQ(weft_cancel_leave(&second), -EINVAL); });
  EXPECT_EQ(weft_cancel_leave(&second), 0);
  EXPECT_EQ(weft_cancel_leave(&first), 0);
}

TEST(cancel_alone, a_scope_of_a_thread_goes_on_over_a_start_and_a_stop) {
  weft_cancel_t before = WEFT_CANCEL_INIT;
  weft_cancel_t within = WEFT_CANCEL_INIT;
  weft_semaphore_t never = WEFT_SEMAPHORE_INIT(0);
  const int64_t soon = weft_time_now_ns() + 1'000'000;
  weft_cancel_scope_t first;
  weft_cancel_scope_t second;
  EXPECT_EQ(weft_cancel_enter(&before, &first), 0);
  ASSERT_EQ(weft_start(nullptr), 0);
  EXPECT_EQ(weft_semaphore_wait_until(&never, soon), -ETIMEDOUT);
  auto other = [&] { EXPECT_EQ(weft_semaphore_wait_until(&never, soon), -ETIMEDOUT); };
  EXPECT_EQ(weft_cancel_request(&before), 0);
  EXPECT_EQ(weft_semaphore_wait(&never), -ECANCELED);
  join(spawn(other));  // not in the scope
  EXPECT_EQ(weft_cancel_leave(&first), 0);
  EXPECT_EQ(weft_semaphore_wait_until(&never, soon), -ETIMEDOUT);
  EXPECT_EQ(weft_cancel_enter(&within, &second), 0);
  EXPECT_EQ(weft_stop(), 0);
  EXPECT_EQ(weft_semaphore_wait_until(&never, soon), -ETIMEDOUT);
  EXPECT_EQ(weft_cancel_request(&within), 0);
  EXPECT_EQ(weft_semaphore_wait(&never), -ECANCELED);
  EXPECT_EQ(weft_cancel_leave(&second), 0);
}

TEST_F(cancel, a_call_that_need_not_wait_is_done) {
  EXPECT_EQ(weft_cancel_request(&outer_), 0);
  const scoped out(&outer_);
  EXPECT_EQ(weft_semaphore_post(&never_, 1), 0);
  EXPECT_EQ(weft_semaphore_wait(&never_), 0);
  EXPECT_EQ(weft_semaphore_wait_until(&never_, 0), -ECANCELED);
}

TEST_F(cancel, children_are_not_in_the_scope_and_joins_are_not_cancelled) {
  apart([&] {
    EXPECT_EQ(weft_cancel_request(&outer_), 0);
    const scoped out(&outer_);
    const weft_task_t waits = start([&] { EXPECT_EQ(weft_semaphore_wait(&never_), 0); });
    const weft_task_t posts = start([&] { EXPECT_EQ(weft_semaphore_post(&never_, 1), 0); });
    join(waits);
    join(posts);
  });
}

TEST_F(cancel, a_select_ends_and_takes_nothing) {
  apart([&] {
    const scoped out(&outer_);
    weft_future_t future = WEFT_FUTURE_INIT;
    weft_case_t cases[] = {weft_case_semaphore(&never_), weft_case_future(&future, nullptr)};
    const weft_task_t t = request_soon(outer_);
    EXPECT_EQ(weft_case_select(cases, 2), -ECANCELED);
    EXPECT_EQ(weft_case_select_until(cases, 2, INT64_MAX - 1), -ECANCELED);
    join(t);
    EXPECT_EQ(weft_semaphore_post(&never_, 1), 0);
    EXPECT_EQ(weft_case_select(cases, 2), 0);
  });
}

TEST_F(cancel, sleep_ends_in_tasks_and_in_threads_outside) {
  auto sleeps = [&] {
    const scoped out(&outer_);
    EXPECT_EQ(weft_task_sleep_for(an_hour_ns), -ECANCELED);
  };
  const weft_task_t t = start(sleeps);
  std::thread outside(sleeps);
  apart([&] { weft_task_yield(); });
  EXPECT_EQ(weft_cancel_request(&outer_), 0);
  join(t);
  outside.join();
}

TEST_F(cancel, a_wait_for_a_descriptor_ends) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  auto waits = [&] {
    const scoped out(&outer_);
    EXPECT_EQ(weft_fd_wait(ends[0], POLLIN), -ECANCELED);
  };
  const weft_task_t t = start(waits);
  std::thread outside(waits);
  apart([&] { weft_task_yield(); });
  EXPECT_EQ(weft_cancel_request(&outer_), 0);
  join(t);
  outside.join();
  EXPECT_EQ(weft_fd_close(ends[0]), 0);
  EXPECT_EQ(weft_fd_close(ends[1]), 0);
}

TEST_F(cancel, a_condition_gives_the_mutex_back) {
  apart([&] {
    weft_mutex_t m = WEFT_MUTEX_INIT;
    weft_condition_t c = WEFT_CONDITION_INIT;
    std::atomic<bool> locked{false};
    EXPECT_EQ(weft_mutex_lock(&m), 0);
    // Holds the mutex while the wait is cancelled, so that it must be waited for after that.
    const weft_task_t holds = start([&] {
      EXPECT_EQ(weft_mutex_lock(&m), 0);
      EXPECT_EQ(weft_cancel_request(&outer_), 0);
      for (int i = 0; i < 10; ++i) weft_task_yield();
      locked = true;
      EXPECT_EQ(weft_mutex_unlock(&m), 0);
    });
    {
      const scoped out(&outer_);
      EXPECT_EQ(weft_condition_wait(&c, &m), -ECANCELED);
    }
    EXPECT_TRUE(locked);
    EXPECT_EQ(weft_mutex_unlock(&m), 0);
    join(holds);
  });
}

TEST_F(cancel, no_unit_is_lost_where_posts_and_requests_race) {
  constexpr int rounds = scaled(300) + 10;
  constexpr int flows = 4;
  for (int r = 0; r < rounds; ++r) {
    weft_cancel_t both = WEFT_CANCEL_INIT;
    weft_semaphore_t units = WEFT_SEMAPHORE_INIT(0);
    std::atomic<int> taken{0};
    std::vector<weft_task_t> tasks;
    for (int i = 0; i < flows; ++i)
      tasks.push_back(start([&] {
        const scoped out(&both);
        const int came = weft_semaphore_wait(&units);
        EXPECT_TRUE(came == 0 || came == -ECANCELED);
        taken += came == 0;
      }));
    tasks.push_back(start([&] { EXPECT_EQ(weft_semaphore_post(&units, flows - 1), 0); }));
    tasks.push_back(start([&] { EXPECT_EQ(weft_cancel_request(&both), 0); }));
    for (const weft_task_t t : tasks) join(t);
    ASSERT_EQ(taken + weft_semaphore_value(&units), flows - 1);
  }
}

}  // namespace
}  // namespace weft::test
