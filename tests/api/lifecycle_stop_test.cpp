// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads outside that wait for the ends of tasks, loops and teams while another thread stops Weft.
// WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <thread>
#include <unistd.h>

#include "support.hpp"

namespace weft::test {
namespace {

constexpr int rounds = scaled(100) < 10 ? 10 : scaled(100);

// --- what a thread outside has done for it ------------------------------------------------------

using action = std::function<void()>;

int loop_of(const action& body) {
  const auto run = [](int64_t, int64_t, void* arg) { (*static_cast<const action*>(arg))(); };
  return weft_loop_run(0, 1, 1, run, const_cast<action*>(&body), nullptr);
}

int shared_loop_of(const action& body) {
  const auto run = [](weft_loop_member_t* me, void* arg) {
    uint64_t first = 0;
    uint64_t last = 0;
    while (weft_loop_next(me, &first, &last) == 1) (*static_cast<const action*>(arg))();
  };
  return weft_loop_share(1, run, const_cast<action*>(&body), nullptr);
}

int team_of(const action& body) {
  const auto run = [](weft_team_member_t*, void* arg) { (*static_cast<const action*>(arg))(); };
  return weft_team_run(1, run, const_cast<action*>(&body));
}

constexpr int (*all_calls[])(const action& body) = {loop_of, shared_loop_of, team_of};

TEST(lifecycle_stop, a_loop_or_team_of_a_thread_outside_that_has_run_returns) {
  for (int i = 0; i < rounds; ++i) {
    const auto call = all_calls[i % 3];
    ASSERT_EQ(weft_start(nullptr), 0);
    std::atomic<bool> ran{false};
    std::thread other([&] { EXPECT_EQ(call([&] { ran = true; }), 0); });
    EXPECT_TRUE(yield_until([&] { return ran.load(); }));
    EXPECT_EQ(weft_stop(), 0);
    other.join();
  }
}

TEST(lifecycle_stop, loops_and_teams_of_a_thread_outside_start_what_was_stopped) {
  std::atomic<bool> over{false};
  std::atomic<int> ran{0};
  std::thread other([&] {
    for (int asked = 0; !over; ++asked) {
      EXPECT_EQ(all_calls[asked % 3]([&] { ++ran; }), 0);
      EXPECT_EQ(ran, asked + 1);
    }
  });
  for (int i = 0; i < rounds / 5; ++i) {  // a stop finds few moments without a loop
    const int before = ran;
    EXPECT_TRUE(compute_until([&] { return ran > before; }));
    const int left = weft_stop();
    EXPECT_TRUE(left == 0 || left == -ENOTCONN) << left;
  }
  over = true;
  other.join();
  (void)weft_stop();  // it may not have started Weft again
}

TEST(lifecycle_stop, a_loop_or_team_of_a_thread_outside_that_is_abandoned_returns) {
  for (int i = 0; i < rounds / 3; ++i) {
    const auto call = all_calls[i % 3];
    ASSERT_EQ(weft_start(nullptr), 0);
    weft_semaphore_t never = WEFT_SEMAPHORE_INIT(0);
    std::atomic<bool> ran{false};
    std::thread other([&] {
      EXPECT_EQ(call([&] {
                  ran = true;
                  (void)weft_semaphore_wait(&never);
                }),
                -ENOTCONN);
    });
    EXPECT_TRUE(yield_until([&] { return ran.load(); }));
    EXPECT_GT(weft_stop(), 0);
    other.join();
  }
}

// --- the ends of tasks --------------------------------------------------------------------------

// Each takes the handle, and says 0 if the task has ended.
int join_it(weft_task_t t) { return weft_task_join(t, nullptr); }

int try_to_join_it(weft_task_t t) {
  int result = -EBUSY;
  while (result == -EBUSY) result = weft_task_try_join(t, nullptr);
  return result;
}

int select_it(weft_task_t t) {
  weft_case_t c = weft_case_join(t, nullptr);
  EXPECT_EQ(weft_case_select(&c, 1), 0);
  return c.result;
}

constexpr int (*all_joins[])(weft_task_t t) = {join_it, select_it, try_to_join_it,
                                               weft_task_detach};

TEST(lifecycle_stop, a_thread_outside_has_joined_a_task_or_is_told) {
  for (int i = 0; i < rounds; ++i) {
    const auto take = all_joins[i % 4];
    ASSERT_EQ(weft_start(nullptr), 0);
    std::atomic<bool> ran{false};
    auto body = [&] { ran = true; };
    const weft_task_t t = spawn(body);
    std::thread other([&] {
      const int result = take(t);
      EXPECT_TRUE(result == 0 || result == -ENOTCONN) << result;
    });
    EXPECT_TRUE(yield_until([&] { return ran.load(); }));
    EXPECT_EQ(weft_stop(), 0);
    other.join();
  }
}

TEST(lifecycle_stop, a_thread_outside_is_told_of_a_task_that_is_abandoned) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (int i = 0; i < rounds / 3; ++i) {
    const auto take = all_joins[i % 3];
    ASSERT_EQ(weft_start(nullptr), 0);
    weft_semaphore_t never = WEFT_SEMAPHORE_INIT(0);
    auto body = [&] { (void)weft_semaphore_wait(&never); };
    const weft_task_t t = spawn(body);
    std::thread other([&] { EXPECT_EQ(take(t), -ENOTCONN); });
    const int waiting = take == try_to_join_it ? 1 : 2;
    EXPECT_TRUE(yield_until([&] { return weft_report_waiting(nowhere) == waiting; }));
    EXPECT_EQ(weft_stop(), 1);
    other.join();
  }
  close(nowhere);
}

TEST(lifecycle_stop, a_select_of_a_thread_outside_leaves_the_end_of_a_task_to_come) {
  for (int i = 0; i < rounds; ++i) {
    ASSERT_EQ(weft_start(nullptr), 0);
    weft_semaphore_t never = WEFT_SEMAPHORE_INIT(0);
    weft_semaphore_t now = WEFT_SEMAPHORE_INIT(0);
    auto body = [&] { (void)weft_semaphore_wait(&never); };
    const weft_task_t t = spawn(body);
    std::thread other([&] {
      weft_case_t cases[] = {weft_case_join(t, nullptr), weft_case_semaphore(&now)};
      const int taken = weft_case_select(cases, 2);
      EXPECT_TRUE(taken == 0 || taken == 1) << taken;
      EXPECT_EQ(taken == 0 ? cases[0].result : -ENOTCONN, -ENOTCONN);
    });
    std::thread another([&] { EXPECT_EQ(weft_semaphore_post(&now, 1), 0); });
    EXPECT_EQ(weft_stop(), 1);
    another.join();
    other.join();
  }
}

}  // namespace
}  // namespace weft::test
