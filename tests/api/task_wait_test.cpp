// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Yield-to, suspend and resume, set-sticky, migrate: every case, every error, in a task and
// outside. WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

TEST(task_wait, outside_a_task_everything_that_waits_is_refused) {
  const runtime weft(2);
  auto nothing = [] {};
  std::thread foreign([&] {
    EXPECT_EQ(weft_task_yield(), -ENOTCONN);
    EXPECT_EQ(weft_task_suspend(), -EPERM);
    EXPECT_EQ(weft_task_set_sticky(1), -EPERM);
    EXPECT_EQ(weft_task_migrate(0), -EPERM);
    const weft_task_t t = spawn(nothing);
    EXPECT_EQ(weft_task_yield_to(t), -EPERM);
    join(t);
    EXPECT_EQ(weft_task_yield_to(nullptr), -EINVAL);
    EXPECT_EQ(weft_task_self(), nullptr);
    EXPECT_EQ(weft_task_id(nullptr), 0u);
    EXPECT_EQ(weft_task_name(nullptr), nullptr);
    EXPECT_EQ(weft_task_spawn_site(nullptr), nullptr);
    EXPECT_EQ(weft_task_stack_left(), 0u);
  });
  foreign.join();
}

TEST(task_wait, main_stays_where_it_is) {
  const runtime weft(2);
  EXPECT_EQ(weft_task_set_sticky(0), -EPERM);
  EXPECT_EQ(weft_task_set_sticky(1), -EPERM);
  EXPECT_EQ(weft_task_migrate(1), -EPERM);
  EXPECT_EQ(weft_task_migrate(WEFT_ANYWHERE), -EPERM);
}

TEST(task_wait, migrate_to_no_worker_is_out_of_range) {
  const runtime weft(2);
  auto body = [] {
    EXPECT_EQ(weft_task_migrate(2), -ERANGE);
    EXPECT_EQ(weft_task_migrate(1000), -ERANGE);
  };
  run_apart(body);
}

TEST(task_wait, yield_to_runs_a_fresh_task_at_once) {
  const runtime weft(1);
  letters order;
  auto a = [&] { order += 'a'; };
  auto b = [&] { order += 'b'; };
  auto c = [&] { order += 'c'; };
  const weft_task_t ta = spawn(a);
  const weft_task_t tb = spawn(b);
  const weft_task_t tc = spawn(c);
  EXPECT_EQ(weft_task_yield_to(tb), 0);
  EXPECT_EQ(order[0], 'b');
  join(ta);
  join(tb);
  join(tc);
}

TEST(task_wait, yield_to_a_yielding_task_switches_to_it_before_older_ones) {
  const runtime weft(1);
  letters order;
  struct body {
    letters& order;
    char name;
    void operator()() const {
      order += name;
      weft_task_yield();
      order += name;
    }
  };
  body a{order, 'a'};
  body b{order, 'b'};
  const weft_task_t ta = spawn(a);
  const weft_task_t tb = spawn(b);
  weft_task_yield();  // behind the two, which have started and yielded then
  ASSERT_EQ(order.size(), 2u);
  const char newer = order[1];
  EXPECT_EQ(weft_task_yield_to(newer == 'a' ? ta : tb), 0);
  EXPECT_EQ(order[2], newer);
  join(ta);
  join(tb);
  EXPECT_EQ(order.size(), 4u);
}

TEST(task_wait, yield_to_a_suspended_task_resumes_it) {
  const runtime weft(1);
  std::atomic<int> steps{0};
  auto sleeps = [&] {
    for (int i = 0; i < 3; ++i) {
      ++steps;
      EXPECT_EQ(weft_task_suspend(), 0);
    }
  };
  const weft_task_t t = spawn(sleeps);
  weft_task_yield();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(steps, i);
    EXPECT_EQ(weft_task_yield_to(t), 0);
  }
  join(t);
}

TEST(task_wait, yield_to_a_running_finished_or_foreign_bound_task_is_refused) {
  const runtime weft(2);
  std::atomic<bool> runs{false};
  std::atomic<bool> stop{false};
  auto computes = [&] {
    runs = true;
    EXPECT_TRUE(compute_until([&] { return stop.load(); }));
  };
  const weft_task_t t = spawn(computes, on_worker(1));
  ASSERT_TRUE(compute_until([&] { return runs.load(); }));
  EXPECT_EQ(weft_task_yield_to(t), -EBUSY);
  EXPECT_EQ(weft_task_yield_to(nullptr), -EINVAL);
  EXPECT_EQ(weft_task_yield_to(weft_task_self()), -EINVAL);
  stop = true;
  EXPECT_TRUE(yield_until([&] { return weft_task_yield_to(t) == -EBUSY; }));
  join(t);
  // Suspended, but bound to another worker.
  std::atomic<bool> sleeping{false};
  auto sleeps = [&] {
    sleeping = true;
    EXPECT_EQ(weft_task_suspend(), 0);
  };
  const weft_task_t s = spawn(sleeps, on_worker(1));
  ASSERT_TRUE(compute_until([&] { return sleeping.load(); }));
  EXPECT_EQ(weft_task_yield_to(s), -EBUSY);
  EXPECT_EQ(weft_task_resume(s), 0);
  join(s);
}

TEST(task_wait, a_finished_task_is_not_handed_to) {
  const runtime weft(1);
  auto nothing = [] {};
  const weft_task_t t = spawn(nothing);
  weft_task_yield();
  EXPECT_EQ(weft_task_yield_to(t), -EBUSY);
  EXPECT_EQ(weft_task_resume(t), -ESRCH);
  join(t);
}

TEST(task_wait, one_resume_that_came_first_is_remembered_and_no_more) {
  const runtime weft(1);
  const weft_task_t me = weft_task_self();
  EXPECT_EQ(weft_task_resume(me), 0);
  EXPECT_EQ(weft_task_resume(me), 0);
  EXPECT_EQ(weft_task_suspend(), 0);  // returns at once
  std::atomic<bool> resumed{false};
  auto waker = [&] {
    resumed = true;
    EXPECT_EQ(weft_task_resume(me), 0);
  };
  const weft_task_t t = spawn(waker);
  EXPECT_EQ(weft_task_suspend(), 0);
  EXPECT_TRUE(resumed);  // the second resume before was not counted
  join(t);
  EXPECT_EQ(weft_task_resume(nullptr), -EINVAL);
}

TEST(task_wait, a_fresh_task_may_be_resumed_before_it_runs) {
  const runtime weft(1);
  std::atomic<int> steps{0};
  auto sleeps = [&] {
    EXPECT_EQ(weft_task_suspend(), 0);
    ++steps;
  };
  const weft_task_t t = spawn(sleeps);
  EXPECT_EQ(weft_task_resume(t), 0);
  join(t);
  EXPECT_EQ(steps, 1);
}

// --- stackless tasks ----------------------------------------------------------------------------

TEST(task_stackless, cannot_block_and_is_told_so) {
  const runtime weft(1);
  auto nothing = [] {};
  weft_task_t other = spawn(nothing);
  int seen[6] = {};
  auto body = [&] {
    seen[0] = weft_task_yield();
    seen[1] = weft_task_suspend();
    seen[2] = weft_task_join(other, nullptr);
    seen[3] = weft_task_yield_to(other);
    seen[4] = weft_task_migrate(0);
    std::vector<weft_task_t> many{other};
    seen[5] = weft_task_join_many(many.data(), 1, nullptr);
  };
  testing::internal::CaptureStderr();
  join(spawn(body, with_flags(WEFT_SPAWN_STACKLESS)));
  const std::string said = testing::internal::GetCapturedStderr();
  for (int r : seen) EXPECT_EQ(r, -EPERM);
  EXPECT_NE(said.find("a stackless task cannot block"), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), said.size() - 1) << "one line: " << said;
  join(other);
}

TEST(task_stackless, may_spawn_resume_and_join_what_has_finished) {
  const runtime weft(1);
  std::atomic<int> ran{0};
  auto counts = [&] { ++ran; };
  const weft_task_t finished = spawn(counts);
  weft_task_yield();
  ASSERT_EQ(ran, 1);
  const weft_task_t main = weft_task_self();
  auto body = [&] {
    join(finished);
    EXPECT_EQ(weft_task_spawn(call<decltype(counts)>, &counts, nullptr), 0);
    weft_slot_t slot = 0;
    EXPECT_EQ(weft_slot_create(nullptr, &slot), 0);
    EXPECT_EQ(weft_slot_set(slot, &slot), 0);
    EXPECT_EQ(weft_slot_get(slot), &slot);
    EXPECT_EQ(weft_slot_delete(slot), 0);
    EXPECT_EQ(weft_task_resume(main), 0);
  };
  const weft_task_t t = spawn(body, with_flags(WEFT_SPAWN_STACKLESS));
  EXPECT_EQ(weft_task_suspend(), 0);
  join(t);
  weft_task_yield();
  EXPECT_EQ(ran, 2);
}

TEST(task_stackless, leaves_the_joiner_able_to_block_again) {
  const runtime weft(1);
  auto nothing = [] {};
  auto yields = [] { EXPECT_EQ(weft_task_yield(), 0); };
  for (int i = 0; i < 10; ++i) {
    join(spawn(nothing, with_flags(WEFT_SPAWN_STACKLESS)));
    join(spawn(yields));
    EXPECT_EQ(weft_task_yield(), 0);
  }
}

}  // namespace
}  // namespace weft::test
