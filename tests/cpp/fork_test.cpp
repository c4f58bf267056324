// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork_join, invoke_all, scoped_fork, and the C functions below: answers, exceptions, identity,
// wherever they run. WEFT_TEST_AT_WORKERS WEFT_TEST_AT_LEVEL_OF_LIBRARY
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <weft/weft.hpp>

#include "support.hpp"

namespace weft::test {
namespace {

using cpp_fork = at_workers;

int fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

TEST_F(cpp_fork, join_gives_both_values) {
  EXPECT_EQ(fib(tsan ? 12 : 20), tsan ? 144 : 6765);
  const auto both = fork_join([] { return std::string("left"); }, [] { return 2; });
  EXPECT_EQ(both, std::pair(std::string("left"), 2));
  int x = 1;
  int y = 2;
  auto refs = fork_join([&x]() -> int& { return x; }, [&y]() -> int& { return y; });
  std::swap(refs.first, refs.second);
  EXPECT_EQ(x, 2);
  EXPECT_EQ(fork_join([] { return 3; }, [] {}), 3);
  EXPECT_EQ(fork_join([] {}, [] { return 4; }), 4);
  fork_join([&x] { x = 5; }, [&y] { y = 6; });
  EXPECT_EQ(x + y, 11);
}

int one() { return 1; }

struct counter {
  int calls = 0;
  int operator()() { return ++calls; }
};

TEST_F(cpp_fork, calls_what_it_was_given_and_no_copy_of_it) {
  counter f;
  counter g;
  EXPECT_EQ(fork_join(f, g), std::pair(1, 1));
  EXPECT_EQ(fork_join(f, std::ref(g)), std::pair(2, 2));
  EXPECT_EQ(f.calls + g.calls, 4);
  EXPECT_EQ(fork_join(counter{4}, one), std::pair(5, 1));
  EXPECT_EQ(fork_join(one, one), std::pair(1, 1));
  weft::scoped_fork held{counter{6}};
  EXPECT_EQ(held.join(), 7);
}

TEST_F(cpp_fork, invoke_all_calls_each_once) {
  std::atomic<int> calls{0};
  auto one = [&calls] { return ++calls; };
  invoke_all(one, one, one, one, one);
  EXPECT_EQ(calls, 5);
}

// Where the child runs is chance: called in place, by a thief, or after the joiner parked.
template <class Body>
void in_every_place(Body body) {
  for (int i = 0; i < 3 * scaled(100); ++i)
    body([i] {
      if (i % 3 == 1) weft::this_task::yield();
      if (i % 3 == 2) weft_task_sleep_for(1000);
    });
}

TEST_F(cpp_fork, throws_what_left_the_child) {
  in_every_place([](auto delay) {
    try {
      fork_join(
          [&]() -> int {
            delay();
            throw std::runtime_error("child");
          },
          [&] { delay(); });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "child");
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
    EXPECT_EQ(std::current_exception(), nullptr);
  });
}

TEST_F(cpp_fork, has_ended_before_an_exception_of_the_caller_goes_on) {
  in_every_place([](auto delay) {
    std::atomic<bool> ended{false};
    try {
      fork_join(
          [&] {
            delay();
            ended = true;
            throw 1;  // dropped
          },
          [&] {
            delay();
            throw std::runtime_error("caller");
          });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "caller");
      EXPECT_TRUE(ended);
    }
  });
}

TEST_F(cpp_fork, starts_without_the_exception_that_its_joiner_handles) {
  in_every_place([](auto delay) {
    try {
      throw std::runtime_error("outer");
    } catch (const std::runtime_error&) {
      fork_join(
          [&] {
            EXPECT_EQ(std::current_exception(), nullptr);
            delay();
            try {
              throw 2;
            } catch (int) {
            }
          },
          [&] { delay(); });
      EXPECT_NE(std::current_exception(), nullptr);
      EXPECT_THROW(throw, std::runtime_error);
    }
  });
}

// A fork that ran while its joiner waited, and yielded, stands in a deque as a task that goes on;
// so does one that a work-first spawn has left, or that gave way to its own children.
TEST_F(cpp_fork, that_has_begun_is_not_called_again) {
  for (int way = 0; way < 3; ++way)
    for (int round = 0; round < scaled(50); ++round) {
      std::atomic<int> runs{0};
      auto joiner = weft::spawn([&] {
        binary_semaphore inside(0);
        weft::scoped_fork f([&] {
          ++runs;
          std::vector<task<void>> children;
          const int n = way == 2 ? 4 : 1;
          for (int i = 0; i < n; ++i)
            children.push_back(weft::spawn({.work_first = way == 1}, [&, i] {
              if (i == n - 1) inside.release();
            }));
          if (way == 0) weft::this_task::yield();
          for (auto& child : children) child.join();
        });
        inside.acquire();
        f.join();
      });
      joiner.join();
      EXPECT_EQ(runs, 1);
    }
}

TEST_F(cpp_fork, is_a_task_of_its_own) {
  weft_slot_t slot = 0;
  static std::atomic<int> destroyed;
  destroyed = 0;
  ASSERT_EQ(weft_slot_create([](void*) { ++destroyed; }, &slot), 0);
  const int n = 3 * scaled(100);
  in_every_place([slot](auto delay) {
    const uint64_t me = this_task::id();
    const weft_task_t handle = this_task::handle();
    fork_join(
        [&] {
          EXPECT_NE(weft_task_self(), handle);
          EXPECT_NE(weft_task_spawn_site(nullptr), nullptr);
          EXPECT_EQ(weft_slot_get(slot), nullptr);
          EXPECT_EQ(weft_slot_set(slot, &destroyed), 0);
          delay();
          EXPECT_NE(this_task::id(), me);
          EXPECT_EQ(weft_slot_get(slot), &destroyed);
        },
        [&] { delay(); });
    EXPECT_EQ(weft_task_self(), handle);
    EXPECT_EQ(this_task::id(), me);
    EXPECT_EQ(weft_slot_get(slot), nullptr);
  });
  EXPECT_EQ(destroyed, n);
  EXPECT_EQ(weft_slot_delete(slot), 0);
}

// weft_fork_end sees to that.
TEST_F(cpp_fork, comes_back_to_where_its_sticky_joiner_lives) {
  if (weft_worker_count() == 1) GTEST_SKIP() << "there is nowhere to go";
  for (int i = 0; i < scaled(200); ++i) {
    const uint32_t home = weft_worker_index();  // main is sticky
    auto runs = weft::spawn({.sticky = true}, [] {
      const uint32_t here = weft_worker_index();
      fork_join([&] { (void)weft_task_migrate((here + 1) % weft_worker_count()); }, [] {});
      EXPECT_EQ(weft_worker_index(), here);
      EXPECT_THROW(fork_join(
                       [&] {
                         (void)weft_task_migrate((here + 1) % weft_worker_count());
                         throw 1;
                       },
                       [] {}),
                   int);
      EXPECT_EQ(weft_worker_index(), here);
    });
    runs.join();
    EXPECT_EQ(weft_worker_index(), home);
  }
}

long deep(long n) {
  if (n == 0) return 0;
  const auto [below, one] = fork_join([n] { return deep(n - 1); }, [] { return 1L; });
  return below + one;
}

TEST_F(cpp_fork, chain_as_deep_as_memory_overflows_no_stack) {
  const long depth = scaled_alive(100'000);
  EXPECT_EQ(deep(depth), depth);  // on the stack of an OS thread at first
  long got = 0;
  auto apart = [&] { got = deep(depth); };
  run_apart(apart);
  EXPECT_EQ(got, depth);
}

__attribute__((noinline)) unsigned char touch_stack(std::size_t bytes) {
  auto* p = static_cast<volatile unsigned char*>(__builtin_alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += 512) p[i] = 1;
  return p[0];
}
template <class F>
__attribute__((noinline)) unsigned char call_below(std::size_t bytes, F f) {
  auto* p = static_cast<volatile unsigned char*>(__builtin_alloca(bytes));
  p[0] = 1;
  f();
  return p[0];
}

TEST_F(cpp_fork, has_its_stack_where_it_is_joined_in_a_deeper_frame) {
  const std::size_t most = stats().stack_bytes / 10 * 8;
  auto deep_join = [most] {
    weft::scoped_fork f([most] { touch_stack(most); });
    call_below(most, [&f] { f.join(); });
  };
  run_apart(deep_join);
}

// The task's function returns in the child, which ends as by exit(0). Its handler goes before that
// of a sanitizer, to which all that the parent has is lost.
TEST_F(cpp_fork, ends_in_a_child_of_fork_with_its_task) {
  const auto forks = [] {
    const pid_t child = ::fork();
    if (child == 0) {
      if (std::atexit([] { _exit(42); }) != 0) _exit(1);
      return;
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
  };
  weft::spawn([&] { fork_join([] {}, forks); }).join();
  weft::spawn([&] {
    const weft::scoped_fork f([] {});
    forks();
  }).join();
}

TEST_F(cpp_fork, runs_elsewhere_while_its_starter_computes) {
  if (weft_worker_count() == 1) GTEST_SKIP() << "nobody else is there";
  for (int i = 0; i < scaled(50); ++i) {
    std::atomic<bool> ran{false};
    fork_join([&] { ran = true; }, [&] { EXPECT_TRUE(compute_until([&] { return ran.load(); })); });
  }
}

TEST_F(cpp_fork, among_spawned_tasks_that_are_joined_in_any_order) {
  for (int i = 0; i < scaled(100); ++i) {
    std::vector<task<int>> tasks;
    for (int t = 0; t < 6; ++t) tasks.push_back(weft::spawn([t] { return t; }));
    weft::scoped_fork first([] { return 10; });
    tasks.push_back(weft::spawn([] { return 6; }));
    weft::scoped_fork second([i]() -> int {
      if (i % 2 == 0) weft::this_task::yield();
      return 20;
    });
    EXPECT_EQ(tasks[3].join(), 3);
    EXPECT_EQ(first.join(), 10);  // not the newest
    EXPECT_EQ(tasks[6].join(), 6);
    EXPECT_EQ(second.join(), 20);
    EXPECT_THROW((void)second.join(), std::system_error);
    EXPECT_EQ(fib(6), 8);
    weft::scoped_fork dropped([] { throw 1; });
  }
}

// Of tasks beneath and above forks some are joined out of turn, so that the deque has holes there.
int fib_beside_tasks(int n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([n] { return fib_beside_tasks(n - 1); },
                                [n] {
                                  auto first = weft::spawn([n] { return n; });
                                  auto second = weft::spawn([n] { return 2 * n; });
                                  const int r = fib_beside_tasks(n - 2);
                                  EXPECT_EQ(first.join(), n);
                                  EXPECT_EQ(second.join(), 2 * n);
                                  return r;
                                });
  return a + b;
}

TEST_F(cpp_fork, beside_tasks_that_are_joined_out_of_turn) {
  EXPECT_EQ(fib_beside_tasks(tsan ? 8 : 14), tsan ? 21 : 377);
}

TEST_F(cpp_fork, in_a_thread_outside) {
  std::pair<int, int> got;
  latch over(1);
  std::thread foreign([&] {
    got = fork_join([] { return fib(10); }, [] { return fib(9); });
    over.count_down();
  });
  over.wait();
  foreign.join();
  EXPECT_EQ(got, std::pair(55, 34));
}

TEST_F(cpp_fork, is_refused_to_who_cannot_wait_for_it) {
  auto stackless = weft::spawn({.stackless = true}, [] { fork_join([] {}, [] {}); });
  EXPECT_THROW(stackless.join(), std::system_error);
  auto keeps_rounding = weft::spawn({.save_fp = true}, [] { return fib(8); });
  EXPECT_EQ(keeps_rounding.join(), 21);
}

TEST_F(cpp_fork, by_the_c_functions) {
  const auto identity = [](void* n) { return n; };
  weft_fork_t fork;
  EXPECT_EQ(weft_fork_start(nullptr, identity, nullptr), -EINVAL);
  EXPECT_EQ(weft_fork_start(&fork, nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_fork_join(nullptr, nullptr), -EINVAL);
  for (int i = 0; i < scaled(200); ++i) {
    weft_fork_t many[5];
    for (weft_fork_t& f : many) ASSERT_EQ(weft_fork_start(&f, identity, &f), 0);
    if (i % 2 == 0) weft_task_yield();
    for (int k : {0, 4, 2, 3, 1}) {
      void* result = nullptr;
      ASSERT_EQ(weft_fork_join(&many[k], &result), 0);
      ASSERT_EQ(result, &many[k]);
    }
  }
}

TEST(cpp_fork_life, starts_weft_where_it_is_the_first_to_need_it) {
  EXPECT_EQ(weft_worker_count(), 0u);
  EXPECT_EQ(fib(5), 5);
  EXPECT_GT(weft_worker_count(), 0u);
  EXPECT_EQ(weft_stop(), 0);
}

TEST(cpp_fork_life, stays_where_it_began_where_all_tasks_are_sticky) {
  setenv("WEFT_STICKY", "1", 1);
  ASSERT_EQ(weft_start(nullptr), 0);
  unsetenv("WEFT_STICKY");
  const auto stays = [] {
    const uint32_t at = weft_worker_index();
    weft_task_sleep_for(10'000);
    EXPECT_EQ(weft_worker_index(), at);
  };
  for (int i = 0; i < scaled(50); ++i) weft::spawn([&] { fork_join(stays, stays); }).join();
  EXPECT_EQ(fib(10), 55);
  EXPECT_EQ(weft_stop(), 0);
}

TEST(cpp_fork_death, joining_twice_is_caught) {
  GTEST_FLAG_SET(death_test_style, death_test_style);
  EXPECT_DEATH(
      {
        weft_fork_t fork;
        weft_fork_start(&fork, [](void* n) { return n; }, nullptr);
        weft_fork_join(&fork, nullptr);
        weft_fork_join(&fork, nullptr);
      },
      "this task was joined or detached before");
}

}  // namespace
}  // namespace weft::test
