// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every way to spawn: arguments, flags, copies, many at once, to a worker; every error of each.
// WEFT_TEST_AT_WORKERS
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

using task_spawn = at_workers;

void* twice(void* n) { return reinterpret_cast<void*>(2 * reinterpret_cast<intptr_t>(n)); }
void* as_pointer(intptr_t n) { return reinterpret_cast<void*>(n); }

TEST_F(task_spawn, hands_the_argument_in_and_the_result_out) {
  for (intptr_t i = 0; i < 1000; ++i) {
    weft_task_t t = nullptr;
    ASSERT_EQ(weft_task_spawn(twice, as_pointer(i), &t), 0);
    ASSERT_NE(t, nullptr);
    void* result = nullptr;
    EXPECT_EQ(weft_task_join(t, &result), 0);
    EXPECT_EQ(result, as_pointer(2 * i));
  }
}

TEST_F(task_spawn, without_a_function_is_refused) {
  weft_task_t t = nullptr;
  EXPECT_EQ(weft_task_spawn(nullptr, nullptr, &t), -EINVAL);
  EXPECT_EQ(weft_task_spawn_with(nullptr, nullptr, nullptr, &t), -EINVAL);
  EXPECT_EQ(weft_task_spawn_many(nullptr, nullptr, 0, 1, &t), -EINVAL);
  EXPECT_EQ(t, nullptr);
}

TEST_F(task_spawn, without_a_handle_is_detached) {
  std::atomic<int> ran{0};
  const auto count = [](void* c) -> void* {
    ++*static_cast<std::atomic<int>*>(c);
    return nullptr;
  };
  const weft_spawn_t sticky = with_flags(WEFT_SPAWN_STICKY);
  const weft_spawn_t first = with_flags(WEFT_SPAWN_WORK_FIRST);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(weft_task_spawn(count, &ran, nullptr), 0);
    EXPECT_EQ(weft_task_spawn_with(count, &ran, nullptr, nullptr), 0);
    EXPECT_EQ(weft_task_spawn_with(count, &ran, &sticky, nullptr), 0);
    EXPECT_EQ(weft_task_spawn_with(count, &ran, &first, nullptr), 0);
    EXPECT_EQ(weft_task_spawn_many(count, &ran, 0, 6, nullptr), 0);
  }
  EXPECT_TRUE(yield_until([&] { return ran == 1000; }));
}

TEST_F(task_spawn, with_says_what_is_wrong_with_the_request) {
  int x = 0;
  weft_task_t t = nullptr;
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.size = 0;
  EXPECT_EQ(weft_task_spawn_with(twice, &x, &how, &t), -EINVAL);
  how = with_flags(1u << 30);
  EXPECT_EQ(weft_task_spawn_with(twice, &x, &how, &t), -EINVAL);
  how = with_flags(uint32_t{WEFT_SPAWN_STACKLESS} | WEFT_SPAWN_WORK_FIRST);
  EXPECT_EQ(weft_task_spawn_with(twice, &x, &how, &t), -EINVAL);
  how = WEFT_SPAWN_INIT;
  how.copy_bytes = 8;
  EXPECT_EQ(weft_task_spawn_with(twice, nullptr, &how, &t), -EINVAL);
  how.copy_bytes = (std::size_t{1} << 30) + 1;
  EXPECT_EQ(weft_task_spawn_with(twice, &x, &how, &t), -ERANGE);
  how = on_worker(weft_worker_count());
  EXPECT_EQ(weft_task_spawn_with(twice, &x, &how, &t), -ERANGE);
  EXPECT_EQ(t, nullptr);
}

TEST_F(task_spawn, with_an_older_and_shorter_request_takes_the_rest_as_default) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.size = offsetof(weft_spawn_t, worker);  // size and flags alone are known
  how.worker = 100'000;
  how.copy_bytes = ~std::size_t{0};
  weft_task_t t = nullptr;
  ASSERT_EQ(weft_task_spawn_with(twice, as_pointer(4), &how, &t), 0);
  void* result = nullptr;
  EXPECT_EQ(weft_task_join(t, &result), 0);
  EXPECT_EQ(result, as_pointer(8));
}

TEST_F(task_spawn, copies_the_argument_and_aligns_the_copy) {
  struct packet {
    char text[1000];
    static void* run(void* arg) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(arg) % 16, 0u);
      weft_task_yield();
      const auto* p = static_cast<const packet*>(arg);
      return as_pointer(static_cast<intptr_t>(std::strlen(p->text)));
    }
  };
  std::vector<weft_task_t> tasks(100);
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.copy_bytes = sizeof(packet);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    packet mine{};
    std::memset(mine.text, 'x', i);
    ASSERT_EQ(weft_task_spawn_with(packet::run, &mine, &how, &tasks[i]), 0);
    std::memset(mine.text, 'y', sizeof mine.text - 1);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    void* result = nullptr;
    EXPECT_EQ(weft_task_join(tasks[i], &result), 0);
    EXPECT_EQ(result, as_pointer(static_cast<intptr_t>(i)));
  }
}

TEST_F(task_spawn, many_gives_each_its_own_argument_and_handle) {
  std::array<int, 5000> args{};
  std::vector<weft_task_t> tasks(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) args[i] = static_cast<int>(i);
  ASSERT_EQ(
      weft_task_spawn_many([](void* arg) -> void* { return as_pointer(*static_cast<int*>(arg)); },
                           args.data(), sizeof(int), args.size(), tasks.data()),
      0);
  std::vector<void*> results(args.size());
  EXPECT_EQ(weft_task_join_many(tasks.data(), tasks.size(), results.data()), 0);
  for (std::size_t i = 0; i < args.size(); ++i) {
    ASSERT_EQ(results[i], as_pointer(static_cast<intptr_t>(i)));
    ASSERT_EQ(tasks[i], nullptr);
  }
  EXPECT_EQ(weft_task_spawn_many(twice, nullptr, 0, 0, tasks.data()), 0);
  EXPECT_EQ(tasks[0], nullptr);
}

TEST_F(task_spawn, on_a_worker_runs_there_and_nowhere_else) {
  const uint32_t count = weft_worker_count();
  std::atomic<int> elsewhere{0};
  struct body {
    std::atomic<int>& elsewhere;
    uint32_t at;
    void operator()() const {
      for (int i = 0; i < 5; ++i) {
        if (weft_worker_index() != at) ++elsewhere;
        weft_task_yield();
      }
    }
  };
  std::vector<body> bodies;
  for (uint32_t i = 0; i < 4 * count; ++i) bodies.push_back({elsewhere, i % count});
  std::vector<weft_task_t> tasks;
  for (auto& b : bodies) tasks.push_back(spawn(b, on_worker(b.at)));
  for (weft_task_t t : tasks) join(t);
  EXPECT_EQ(elsewhere, 0);
}

// In bursts, and one by one, where the worker has nothing else and watches for the next.
TEST_F(task_spawn, on_a_worker_runs_in_the_order_of_its_sender) {
  const int count = scaled(2000);
  struct line {
    std::atomic<int> ran{0};
    std::atomic<int> out_of_order{0};
  };
  struct letter {
    line* to;
    int rank;
  };
  const auto arrive = [](void* arg) -> void* {
    const auto& l = *static_cast<letter*>(arg);
    line& to = *l.to;
    if (to.ran != l.rank) ++to.out_of_order;
    ++to.ran;  // last use of l and of the line
    return nullptr;
  };
  const auto send_all = [&](auto&& rest) {
    line to;
    std::vector<letter> letters;
    for (int i = 0; i < count; ++i) letters.push_back({&to, i});
    for (int i = 0; i < count; ++i) {
      weft_spawn_t how = on_worker(weft_worker_count() - 1);
      if (i % 3 == 0) how.flags = WEFT_SPAWN_STACKLESS;
      if (i % 7 == 0) how.copy_bytes = sizeof letters[i];
      weft_task_t t = nullptr;
      EXPECT_EQ(weft_task_spawn_with(arrive, &letters[i], &how, i % 5 == 0 ? &t : nullptr), 0);
      if (t != nullptr && i % 2 == 0) {
        join(t);
      } else if (t != nullptr) {
        EXPECT_EQ(weft_task_detach(t), 0);
      }
      while (i % 64 < 32 && to.ran <= i) rest();
    }
    while (to.ran < count) rest();
    EXPECT_EQ(to.out_of_order, 0);
  };
  send_all([] { weft_task_yield(); });
  std::atomic<bool> over{false};
  std::thread foreign([&] {
    send_all([] { std::this_thread::yield(); });
    over = true;
  });
  while (!over) weft_task_yield();
  foreign.join();
}

// One by one, so that the worker watches for the next.
TEST_F(task_spawn, on_a_worker_that_goes_and_comes_back_runs_or_is_refused) {
  const uint32_t there = weft_worker_count() - 1;
  if (there == 0) GTEST_SKIP() << "the only worker cannot go";
  std::atomic<int> ran{0};
  std::atomic<bool> over{false};
  std::thread resizer([&] {
    for (int round = 0; round < scaled(20); ++round) {
      for (const int before = ran; ran < before + 100;) std::this_thread::yield();
      const int gone = weft_worker_remove(there, weft_time_now_ns() + 1'000'000);
      EXPECT_TRUE(gone == 0 || gone == -EBUSY) << gone;
      EXPECT_EQ(weft_worker_add(there), 0);
    }
    over = true;
  });
  auto* const count = +[](void* arg) -> void* {
    ++*static_cast<std::atomic<int>*>(arg);
    return nullptr;
  };
  const weft_spawn_t how = on_worker(there);
  int sent = 0;
  while (!over) {
    const int spawned = weft_task_spawn_with(count, &ran, &how, nullptr);
    EXPECT_TRUE(spawned == 0 || spawned == -ERANGE) << spawned;
    if (spawned != 0) continue;
    ++sent;
    EXPECT_TRUE(compute_until([&] { return ran == sent; }));
  }
  resizer.join();
  EXPECT_EQ(weft_worker_remove(there, weft_time_now_ns() + 1'000'000'000), 0)
      << "nothing is bound to it any more";
  EXPECT_EQ(weft_worker_add(there), 0);
}

TEST_F(task_spawn, work_first_runs_the_child_before_the_call_returns) {
  letters order;
  auto child = [&] { order += 'c'; };
  auto parent = [&] {
    for (int i = 0; i < 10; ++i) {
      order += 'p';
      const weft_task_t t = spawn(child, with_flags(WEFT_SPAWN_WORK_FIRST));
      join(t);
    }
  };
  run_apart(parent);
  // Whoever steals the parent goes on while the child may still run; both orders of the last two
  // are legal then. With one worker there is nobody.
  if (weft_worker_count() == 1) {
    EXPECT_EQ(order.text(), "pcpcpcpcpcpcpcpcpcpc");
  }
  EXPECT_EQ(order.size(), 20u);
}

TEST_F(task_spawn, work_first_sees_its_own_handle_in_the_child) {
  weft_task_t handle = nullptr;
  weft_task_t seen = nullptr;
  auto child = [&] { seen = weft_task_self(); };
  const weft_spawn_t how = with_flags(WEFT_SPAWN_WORK_FIRST);
  ASSERT_EQ(weft_task_spawn_with(call<decltype(child)>, &child, &how, &handle), 0);
  join(handle);
  EXPECT_EQ(seen, handle);
}

TEST_F(task_spawn, from_a_foreign_thread_works_in_every_way) {
  std::atomic<int> ran{0};
  const weft_task_t main = weft_task_self();
  std::thread foreign([&] {
    auto counts = [&] { ++ran; };
    EXPECT_EQ(weft_task_self(), nullptr);
    EXPECT_EQ(weft_worker_index(), WEFT_ANYWHERE);
    join(spawn(counts));
    join(spawn(counts, with_flags(WEFT_SPAWN_WORK_FIRST)));
    join(spawn(counts, with_flags(WEFT_SPAWN_STICKY)));
    join(spawn(counts, with_flags(WEFT_SPAWN_STACKLESS)));
    join(spawn(counts, on_worker(weft_worker_count() - 1)));
    std::vector<weft_task_t> many(100);
    EXPECT_EQ(weft_task_spawn_many(call<decltype(counts)>, &counts, 0, many.size(), many.data()),
              0);
    EXPECT_EQ(weft_task_join_many(many.data(), many.size(), nullptr), 0);
    EXPECT_EQ(weft_task_resume(main), 0);
  });
  EXPECT_EQ(weft_task_suspend(), 0);
  foreign.join();
  EXPECT_EQ(ran, 105);
}

}  // namespace
}  // namespace weft::test
