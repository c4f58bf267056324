// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Progress on any number of workers, idle workers asleep, no wake-up lost.
// WEFT_TEST_AT_WORKERS
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

using hazard_progress = at_workers;

int64_t fib(int64_t n);
void* fib_task(void* n) {
  return reinterpret_cast<void*>(fib(static_cast<int64_t>(reinterpret_cast<intptr_t>(n))));
}
int64_t fib(int64_t n) {
  if (n < 2) return n;
  weft_task_t t = nullptr;
  EXPECT_EQ(weft_task_spawn(fib_task, reinterpret_cast<void*>(n - 1), &t), 0);
  const int64_t b = fib(n - 2);
  void* a = nullptr;
  EXPECT_EQ(weft_task_join(t, &a), 0);
  return reinterpret_cast<intptr_t>(a) + b;
}

TEST_F(hazard_progress, a_deep_recursion_ends) {
  EXPECT_EQ(fib(tsan                    ? 14
                : sanitized || emulated ? 17
                                        : 22),
            tsan                    ? 377
            : sanitized || emulated ? 1597
                                    : 17711);
}

TEST_F(hazard_progress, tasks_on_every_worker_meet_in_a_ring) {
  // A token goes round through tasks that are bound to the workers in turn.
  const uint32_t count = weft_worker_count();
  const int rounds = scaled(200);
  struct seat {
    std::atomic<int> token{0};
    weft_task_t task = nullptr;
  };
  std::vector<seat> seats(count);
  std::atomic<bool> seated{false};
  std::atomic<int> passed{0};
  struct member {
    std::vector<seat>& seats;
    std::atomic<bool>& seated;
    std::atomic<int>& passed;
    uint32_t at;
    int rounds;
    void operator()() {
      while (!seated) weft_task_yield();
      seat& mine = seats[at];
      seat& next = seats[(at + 1) % seats.size()];
      for (int i = 0; i < rounds; ++i) {
        while (mine.token.load() == 0) EXPECT_EQ(weft_task_suspend(), 0);
        mine.token = 0;
        EXPECT_EQ(weft_worker_index(), at);
        ++passed;
        if (i + 1 == rounds && at + 1 == seats.size()) break;
        next.token = 1;
        EXPECT_EQ(weft_task_resume(next.task), 0);
      }
    }
  };
  std::vector<member> members;
  for (uint32_t i = 0; i < count; ++i) members.push_back({seats, seated, passed, i, rounds});
  for (uint32_t i = 0; i < count; ++i) seats[i].task = spawn(members[i], on_worker(i));
  seats[0].token = 1;
  seated = true;
  std::vector<weft_task_t> all;
  // In the order in which they end; the next seat is still there when one resumes it.
  for (auto& s : seats) all.push_back(s.task);
  EXPECT_TRUE(yield_until([&] { return passed == rounds * static_cast<int>(count); }));
  for (weft_task_t t : all) join(t);
  EXPECT_EQ(passed, rounds * static_cast<int>(count));
}

TEST_F(hazard_progress, workers_without_work_all_go_to_sleep) {
  const uint64_t others = weft_worker_count() - 1;
  const auto asleep = [] {
    const weft_stats_t s = stats();
    return s.sleeps - s.wakes;
  };
  EXPECT_TRUE(compute_until([&] { return asleep() == others; })) << asleep() << " asleep";
  // After work too.
  std::atomic<int> ran{0};
  auto counts = [&] { ++ran; };
  std::vector<weft_task_t> all;
  for (int i = 0; i < 1000; ++i) all.push_back(spawn(counts));
  for (weft_task_t t : all) join(t);
  EXPECT_EQ(ran, 1000);
  EXPECT_TRUE(compute_until([&] { return asleep() == others; })) << asleep() << " asleep";
}

TEST_F(hazard_progress, all_workers_sleep_while_main_waits_for_a_foreign_thread) {
  const uint64_t workers = weft_worker_count();
  const weft_task_t main = weft_task_self();
  std::thread foreign([&] {
    EXPECT_TRUE(compute_until([&] {
      const weft_stats_t s = stats();
      return s.sleeps - s.wakes == workers;
    }));
    EXPECT_EQ(weft_task_resume(main), 0);
  });
  EXPECT_EQ(weft_task_suspend(), 0);
  foreign.join();
}

TEST_F(hazard_progress, no_wake_up_is_lost_between_a_task_and_a_foreign_thread) {
  const int rounds = scaled(weft_worker_count() > 2 ? 20'000 : 30'000);  // 100,000 in all
  std::atomic<int> asked{0};
  auto asks = [&] {
    for (int i = 1; i <= rounds; ++i) {
      asked.store(i);
      asked.notify_one();
      EXPECT_EQ(weft_task_suspend(), 0);
    }
  };
  const weft_task_t t = spawn(asks);
  std::thread foreign([&] {
    for (int i = 0; i < rounds; ++i) {
      asked.wait(i);
      EXPECT_EQ(weft_task_resume(t), 0);
    }
  });
  // Main waits without polling, so that every worker can be asleep when the wake-up comes.
  join(t);
  foreign.join();
  EXPECT_EQ(asked, rounds);
}

TEST_F(hazard_progress, no_spawn_of_a_foreign_thread_is_lost) {
  const int rounds = scaled(20'000);
  std::atomic<int> ran{0};
  const weft_task_t main = weft_task_self();
  std::thread foreign([&] {
    auto counts = [&] { ++ran; };
    for (int i = 0; i < rounds; ++i) {
      join(spawn(counts));
      EXPECT_EQ(ran, i + 1);
    }
    EXPECT_EQ(weft_task_resume(main), 0);
  });
  EXPECT_EQ(weft_task_suspend(), 0);
  foreign.join();
  EXPECT_EQ(ran, rounds);
}

TEST_F(hazard_progress, no_wake_up_is_lost_between_bound_tasks) {
  // Main sends each worker in turn one task and waits for it: every time somebody must be woken.
  const uint32_t count = weft_worker_count();
  const int rounds = scaled(10'000);
  int ran = 0;
  auto counts = [&] { ++ran; };
  for (int i = 0; i < rounds; ++i) join(spawn(counts, on_worker(static_cast<uint32_t>(i) % count)));
  EXPECT_EQ(ran, rounds);
}

}  // namespace
}  // namespace weft::test
