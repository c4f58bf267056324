// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that end on one thread while another joins, polls or detaches them: each is freed once.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "lockfree/join_word.hpp"
#include "threads.hpp"

namespace {

using weft::rt::join_word;

struct task {
  join_word word;
  int result = 0;  // plain, as everything below: a thread sanitizer checks the order
  int let_go = 0;
  int freed = 0;
};

struct waiter {
  int state = 0;
  std::atomic<bool> woken{false};
};

TEST(JoinWord, each_task_is_freed_once_by_one_who_saw_all) {
  constexpr int count = 60'000;
  std::vector<task> tasks(count);
  std::vector<waiter> waiters(count);
  // Both threads go along the tasks at about the same pace, so that most ends meet.
  std::atomic<int> runner_at{0};
  std::atomic<int> parent_at{0};
  const auto meet = [](std::atomic<int>& mine, std::atomic<int>& other, int i) {
    mine.store(i, std::memory_order_relaxed);
    for (unsigned spun = 0; other.load(std::memory_order_relaxed) < i; ++spun)
      weft::test::pause(spun);
  };

  std::thread runner([&] {
    for (int i = 0; i < count; ++i) {
      task& t = tasks[i];
      meet(runner_at, parent_at, i);
      t.result = i;
      const std::uint64_t was = t.word.finish();
      if (was == join_word::detached) {
        EXPECT_EQ(t.let_go, 1);
        ++t.freed;
      } else if (was != join_word::running) {
        auto* w = reinterpret_cast<waiter*>(was);
        EXPECT_EQ(w->state, i);
        w->woken.store(true, std::memory_order_release);
      }
    }
  });
  for (int i = 0; i < count; ++i) {
    task& t = tasks[i];
    waiter& w = waiters[i];
    meet(parent_at, runner_at, i);
    t.let_go = 1;
    if (i % 3 == 0) {
      if (t.word.detach()) continue;
    } else if (i % 3 == 1) {
      w.state = i;
      if (t.word.wait_for(reinterpret_cast<std::uint64_t>(&w)))
        for (unsigned spun = 0; !w.woken.load(std::memory_order_acquire); ++spun)
          weft::test::pause(spun);
    } else {
      for (unsigned spun = 0; !t.word.is_done(); ++spun) weft::test::pause(spun);
    }
    ASSERT_EQ(t.result, i);
    ++t.freed;
  }
  runner.join();
  for (const task& t : tasks) ASSERT_EQ(t.freed, 1);
}

}  // namespace
