// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-off: a task is the next that a chosen worker runs, and as free as before afterwards.
// WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <array>
#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "support.hpp"
#include "support/pools.hpp"

namespace weft::test {
namespace {

class hand_off : public testing::Test {
  const runtime three_workers_{3};
};

// A task that suspends itself, then says where it went on.
struct sleeper {
  letters* order;
  std::atomic<uint32_t> woke_on{WEFT_ANYWHERE};
  std::atomic<uint32_t> later_on{WEFT_ANYWHERE};
  std::atomic<bool> asleep{false};
  weft_task_t task = nullptr;
  explicit sleeper(letters* to) : order(to), task(spawn(*this)) {
    EXPECT_TRUE(yield_until([this] { return asleep.load(); }));
  }
  void operator()() {
    asleep = true;
    EXPECT_EQ(weft_task_suspend(), 0);
    woke_on = weft_worker_index();
    *order += 's';
  }
};

// Until the task is suspended, not only about to be.
int hand(weft_task_t t, uint32_t worker) {
  int said = -EBUSY;
  EXPECT_TRUE(yield_until([&] { return (said = weft_task_hand_off(t, worker)) != -EBUSY; }));
  return said;
}

TEST_F(hand_off, a_suspended_task_is_what_the_worker_runs_next) {
  if (all_sticky()) GTEST_SKIP() << "no task may go";
  for (int i = 0; i < scaled(30); ++i) {
    letters order;
    sleeper s(&order);
    std::atomic<bool> busy{false};
    std::atomic<bool> go{false};
    auto holds = [&] {
      busy = true;
      EXPECT_TRUE(compute_until([&] { return go.load(); }));
    };
    auto queued = [&] { order += 'q'; };
    std::vector<weft_task_t> tasks{spawn(holds, on_worker(2))};
    EXPECT_TRUE(compute_until([&] { return busy.load(); }));
    for (int k = 0; k < 5; ++k) tasks.push_back(spawn(queued, on_worker(2)));
    EXPECT_EQ(hand(s.task, 2), 0);
    go = true;
    join(s.task);
    for (const weft_task_t t : tasks) join(t);
    EXPECT_EQ(s.woke_on, 2u);
    const std::size_t at = order.text().find('s');
    EXPECT_LE(at, 1u) << order.text() << ": a fair pick may come between";
  }
}

TEST_F(hand_off, an_idle_worker_is_woken_for_it) {
  if (all_sticky()) GTEST_SKIP() << "no task may go";
  for (int i = 0; i < scaled(200); ++i) {
    letters order;
    sleeper s(&order);
    if (i % 10 == 0) weft_task_sleep_for(1'000'000);  // it sleeps in the kernel
    EXPECT_EQ(hand(s.task, 1 + static_cast<uint32_t>(i) % 2), 0);
    join(s.task);
    EXPECT_EQ(s.woke_on, 1 + static_cast<uint32_t>(i) % 2);
  }
}

TEST_F(hand_off, the_caller_goes_on_there_and_is_free_afterwards) {
  std::atomic<int> wrong{0};
  auto wanders = [&] {
    for (uint32_t i = 0; i < static_cast<uint32_t>(scaled(300)); ++i) {
      if (weft_task_hand_off(i % 2 == 0 ? nullptr : weft_task_self(), i % 3) != 0) ++wrong;
      if (weft_worker_index() != i % 3) ++wrong;
    }
  };
  if (all_sticky()) {
    auto cannot = [&] {
      const uint32_t here = weft_worker_index();
      EXPECT_EQ(weft_task_hand_off(nullptr, here), 0);
      EXPECT_EQ(weft_task_hand_off(nullptr, (here + 1) % 3), -EPERM);
    };
    run_apart(cannot);
    return;
  }
  run_apart(wanders);
  EXPECT_EQ(wrong, 0);
  // What was handed off there does not keep the worker.
  EXPECT_TRUE(yield_until([] { return weft_worker_remove(2, 0) == 0; }));
  const weft_spawn_t there = on_worker(2);
  const auto nothing = [](void*) -> void* { return nullptr; };
  // What is sent there until it goes keeps it: so not without a rest.
  EXPECT_TRUE(yield_until([&] {
    if (weft_task_spawn_with(nothing, nullptr, &there, nullptr) == -ERANGE) return true;
    EXPECT_EQ(weft_task_sleep_for(1'000'000), 0);
    return false;
  }));
  letters order;
  sleeper s(&order);
  EXPECT_EQ(hand(s.task, 2), -ERANGE);
  EXPECT_EQ(weft_worker_add(2), 0);
  EXPECT_EQ(hand(s.task, 2), 0);
  join(s.task);
  EXPECT_EQ(s.woke_on, 2u);
}

TEST_F(hand_off, a_fresh_task_may_be_the_next) {
  for (int i = 0; i < scaled(30); ++i) {
    letters order;
    std::atomic<bool> busy{false};
    std::atomic<bool> go{false};
    auto holds = [&] {
      busy = true;
      EXPECT_TRUE(compute_until([&] { return go.load(); }));
    };
    auto queued = [&] { order += 'q'; };
    auto first = [&] { order += '1'; };
    auto second = [&] { order += '2'; };
    std::vector<weft_task_t> tasks{spawn(holds, on_worker(1))};
    EXPECT_TRUE(compute_until([&] { return busy.load(); }));
    for (int k = 0; k < 5; ++k) tasks.push_back(spawn(queued, on_worker(1)));
    weft_spawn_t next = on_worker(1);
    next.flags = WEFT_SPAWN_NEXT;
    tasks.push_back(spawn(first, next));
    tasks.push_back(spawn(second, next));
    go = true;
    for (const weft_task_t t : tasks) join(t);
    const std::string text = order.text();
    EXPECT_LT(text.find('1'), text.find('2'));
    EXPECT_LE(text.find('2'), 2u) << text;
  }
}

TEST_F(hand_off, a_thread_outside_hands_off_as_well) {
  if (all_sticky()) GTEST_SKIP() << "no task may go";
  letters order;
  for (int i = 0; i < scaled(100); ++i) {
    sleeper s(&order);
    std::thread([&] {
      int said = -EBUSY;
      EXPECT_TRUE(compute_until([&] { return (said = weft_task_hand_off(s.task, 1)) != -EBUSY; }));
      EXPECT_EQ(said, 0);
    }).join();
    join(s.task);
    EXPECT_EQ(s.woke_on, 1u);
  }
}

TEST_F(hand_off, neither_hand_offs_nor_what_waits_starves) {
  // Two tasks hand themselves to worker 1 for ever; a third waits in its queue.
  std::atomic<bool> stop{false};
  std::atomic<bool> ran{false};
  auto goes = [&] {
    while (!stop) {
      if (weft_task_hand_off(nullptr, 1) != 0) break;
      if (weft_task_hand_off(nullptr, 2) != 0) break;
    }
  };
  auto queued = [&] {
    weft_task_yield();
    ran = true;
  };
  std::vector<weft_task_t> tasks{spawn(goes), spawn(goes), spawn(goes),
                                 spawn(queued, on_worker(1))};
  EXPECT_TRUE(yield_until([&] { return ran.load(); }));
  stop = true;
  for (const weft_task_t t : tasks) join(t);
}

TEST_F(hand_off, of_a_task_that_others_resume_takes_it_or_is_refused) {
  std::atomic<bool> stop{false};
  std::atomic<int> rounds{0};
  auto sleeps = [&] {
    while (!stop) {
      EXPECT_EQ(weft_task_suspend(), 0);
      ++rounds;
    }
  };
  const weft_task_t t = spawn(sleeps);
  const auto resume = [&] {
    const int result = weft_task_resume(t);
    EXPECT_TRUE(result == 0 || (result == -ESRCH && stop)) << result;
  };
  auto resumes = [&] {
    while (!stop) resume();
  };
  auto hands = [&] {
    while (!stop) {
      const int result = weft_task_hand_off(t, 1);
      EXPECT_TRUE(result == 0 || result == -EBUSY || (result == -EPERM && all_sticky())) << result;
    }
  };
  std::thread resumer(resumes);
  std::thread hander(hands);
  auto yields = [&] {
    while (!stop) {
      const int result = weft_task_yield_to(t);
      EXPECT_TRUE(result == 0 || result == -EBUSY || result == -EPERM) << result;
      if (result != 0) weft_task_yield();
    }
  };
  const weft_task_t yielder = spawn(yields);
  EXPECT_TRUE(yield_until([&] { return rounds >= scaled(20'000); }));
  stop = true;
  resumer.join();
  hander.join();
  join(yielder);
  resume();
  join(t);
}

TEST_F(hand_off, what_may_not_go_there_is_refused) {
  EXPECT_EQ(weft_task_hand_off(nullptr, 3), -ERANGE);
  EXPECT_EQ(weft_task_hand_off(nullptr, 0), 0) << "the caller is there";
  EXPECT_EQ(weft_task_hand_off(nullptr, 1), -EPERM) << "the thread that started stays";
  std::thread([] { EXPECT_EQ(weft_task_hand_off(nullptr, 1), -EPERM); }).join();
  auto stackless = [] { EXPECT_EQ(weft_task_hand_off(nullptr, 1), -EPERM); };
  join(spawn(stackless, with_flags(WEFT_SPAWN_STACKLESS)));
  weft_pool_t p = 0;
  ASSERT_EQ(weft_pool_create(nullptr, &p), 0);
  const weft_scheduler_t s = scheduler_of(p);
  ASSERT_NE(s, nullptr);
  EXPECT_EQ(weft_worker_set_scheduler(1, s), 0);
  auto pooled = [&] {
    EXPECT_EQ(weft_task_hand_off(nullptr, 1), 0);
    EXPECT_EQ(weft_task_hand_off(nullptr, 2), -EPERM);
    EXPECT_EQ(weft_worker_index(), 1u);
  };
  join(spawn(pooled, on_worker(p)));
  // Not suspended; and one that is sticky elsewhere.
  std::atomic<bool> go{false};
  auto runs = [&] { EXPECT_TRUE(compute_until([&] { return go.load(); })); };
  const weft_task_t busy = spawn(runs, on_worker(1));
  EXPECT_EQ(weft_task_hand_off(busy, 1), -EBUSY);
  go = true;
  join(busy);
  auto waits = [] { weft_task_suspend(); };
  const weft_task_t bound = spawn(waits, on_worker(2));
  EXPECT_EQ(hand(bound, 1), -EPERM);
  EXPECT_EQ(hand(bound, 2), 0);
  join(bound);
  auto nothing = [] {};
  weft_task_t t = nullptr;
  for (const uint32_t where : {WEFT_ANYWHERE, WEFT_SHEPHERD(0), p}) {
    weft_spawn_t next = on_worker(where);
    next.flags = WEFT_SPAWN_NEXT;
    EXPECT_EQ(weft_task_spawn_with(call<decltype(nothing)>, &nothing, &next, &t), -EINVAL);
  }
}

TEST_F(hand_off, a_disabled_worker_takes_what_is_handed_to_it) {
  if (all_sticky()) GTEST_SKIP() << "no task may go";
  EXPECT_EQ(weft_worker_disable(2), 0);
  letters order;
  for (int i = 0; i < scaled(50); ++i) {
    sleeper s(&order);
    EXPECT_EQ(hand(s.task, 2), 0);
    join(s.task);
    EXPECT_EQ(s.woke_on, 2u);
  }
}

}  // namespace
}  // namespace weft::test
