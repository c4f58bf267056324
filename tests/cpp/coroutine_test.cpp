// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coroutines that await futures, tasks and waits of Weft; tasks that await coroutines.
// WEFT_TEST_AT_WORKERS WEFT_TEST_AT_LEVEL_OF_LIBRARY
#include <atomic>
#include <coroutine>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <weft/coroutine.hpp>
#include <weft/weft.hpp>

#include "support.hpp"

// Set by a thread while it does not park.
thread_local bool no_memory = false;

// The thread sanitizer has these, and cannot be told that there are others.
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if !defined(__SANITIZE_THREAD__) && !__has_feature(thread_sanitizer)
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const p = no_memory ? nullptr : std::malloc(bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace weft::test {
namespace {

using cpp_coroutine = at_workers;

coro<int> number(int n) { co_return n; }
coro<int> sum(int n) {
  int all = 0;
  for (int i = 1; i <= n; ++i) all += co_await number(i);
  co_return all;
}
coro<std::unique_ptr<int>> boxed(int n) { co_return std::make_unique<int>(co_await sum(n)); }
coro<int&> same(int& n) { co_return n; }
coro<> fails() {
  co_await number(1);
  throw std::runtime_error("in a coroutine");
}

TEST_F(cpp_coroutine, is_awaited_by_a_task_with_value_or_exception) {
  EXPECT_EQ(await(sum(1000)), 500'500);
  EXPECT_EQ(*await(boxed(4)), 10);
  int here = 1;
  EXPECT_EQ(&await(same(here)), &here);
  EXPECT_THROW(await(fails()), std::runtime_error);
  EXPECT_EQ(weft::spawn([] { return await(sum(10)); }).join(), 55);
  coro<int> unused = sum(3);
  unused = sum(4);
  EXPECT_EQ(await(std::move(unused)), 10);
}

TEST_F(cpp_coroutine, is_awaited_once_and_only_where_it_is) {
  auto once = sum(2);
  EXPECT_EQ(await(std::move(once)), 3);
  EXPECT_THROW((void)await(std::move(once)), std::system_error);
  auto first = sum(3);
  auto second = std::move(first);
  EXPECT_THROW((void)await(std::move(first)), std::system_error);
  EXPECT_EQ(await(std::move(second)), 6);
}

// Gives its text to be moved from, and says how it was awaited.
struct ready_text {
  struct awaiter {
    std::string& text;
    static bool await_ready() { return true; }
    static void await_suspend(std::coroutine_handle<>) {}
    std::string&& await_resume() { return std::move(text); }
  };
  awaiter operator co_await() & {
    text += " stays";
    return {text};
  }
  awaiter operator co_await() && {
    text += " goes";
    return {text};
  }
  std::string text;
};

TEST_F(cpp_coroutine, awaits_what_it_is_given_as_it_is_given) {
  EXPECT_EQ(std::string(await(ready_text{"one"})), "one goes");
  ready_text two{"two"};
  auto&& same = await(two);
  EXPECT_EQ(&same, &two.text);
  const std::string moved = await(two);
  EXPECT_EQ(moved, "two stays stays");
}

coro<int> of_future(future<int> f) {
  const int n = co_await std::move(f);
  co_return n + 1;
}

TEST_F(cpp_coroutine, awaits_futures_before_and_after_they_are_set) {
  for (int i = 0; i < scaled(200); ++i) {
    promise<int> p;
    auto f = p.get_future();
    auto setter = weft::spawn([&p, i] { p.set_value(i); });
    if (i % 2 == 0) setter.wait();
    EXPECT_EQ(await(of_future(std::move(f))), i + 1);
    setter.join();
  }
  EXPECT_THROW(await(of_future(async([]() -> int { throw std::runtime_error("none"); }))),
               std::runtime_error);
}

TEST_F(cpp_coroutine, goes_on_though_there_is_no_memory_where_its_future_is_set) {
  if (tsan) GTEST_SKIP() << "its memory does not fail";
  for (int i = 0; i < scaled(100); ++i) {
    promise<int> p;
    auto f = p.get_future();
    auto waits = weft::spawn([&] { return await(of_future(std::move(f))); });
    for (int k = 0; k < i % 10; ++k) weft::this_task::yield();  // it may have come to its await
    no_memory = true;
    p.set_value(i);
    no_memory = false;
    EXPECT_EQ(waits.join(), i + 1);
  }
}

// One that nobody awaits.
struct alone {
  struct promise_type {
    static alone get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() { std::terminate(); }
  };
};
alone sees_the_end_of(future<int> f, bool& failed) {
  try {
    (void)co_await std::move(f);
  } catch (const std::system_error&) {
    failed = true;
  }
}

TEST(cpp_coroutine_alone, goes_on_where_a_promise_ends_after_weft_has_stopped) {
  ASSERT_EQ(weft_start(nullptr), 0);
  promise<int> p;
  bool failed = false;
  sees_the_end_of(p.get_future(), failed);
  EXPECT_EQ(weft_stop(), 0);
  p = {};
  EXPECT_EQ(weft_worker_count(), 0u);
  EXPECT_TRUE(failed);
}

coro<int> of_tasks() {
  int all = co_await weft::spawn([] { return 20; });
  co_await weft::spawn([] {});
  all += co_await weft::spawn([] { return await(number(3)); });
  co_return all;
}

TEST_F(cpp_coroutine, awaits_tasks) { EXPECT_EQ(await(of_tasks()), 23); }

coro<int*> of_task_with_reference(int& n) {
  int& got = co_await weft::spawn([&]() -> int& { return n; });
  co_return &got;
}

TEST_F(cpp_coroutine, awaits_a_task_that_gives_a_reference) {
  int here = 1;
  EXPECT_EQ(await(of_task_with_reference(here)), &here);
}

struct throws_at_its_end {
  ~throws_at_its_end() noexcept(false) { throw std::runtime_error("late"); }
};
coro<std::shared_ptr<int>> fails_after_its_value(std::shared_ptr<int> value) {
  const throws_at_its_end late;
  co_return value;
}

TEST_F(cpp_coroutine, that_fails_after_its_value_keeps_nothing_of_it) {
  const auto value = std::make_shared<int>(1);
  EXPECT_THROW(await(fails_after_its_value(value)), std::runtime_error);
  EXPECT_EQ(value.use_count(), 1);
}

struct counted {
  explicit counted(int n) : number(n) { ++alive; }
  counted(counted&& other) noexcept : number(other.number) { ++alive; }
  counted& operator=(counted&&) = delete;
  ~counted() { --alive; }
  int number;
  static inline std::atomic<int> alive{0};
};
coro<counted> gives_another_value() {
  try {
    const throws_at_its_end late;
    co_return counted(1);
  } catch (const std::runtime_error&) {
  }
  co_return counted(2);
}

TEST_F(cpp_coroutine, that_gives_another_value_keeps_nothing_of_the_first) {
  EXPECT_EQ(await(gives_another_value()).number, 2);
  EXPECT_EQ(counted::alive, 0);
}

coro<int> of_channel(channel<int>& numbers) {
  int all = 0;
  while (const std::optional<int> n = co_await in_task([&] { return numbers.receive(); }))
    all += *n;
  co_return all;
}
coro<int> in_a_task_of_channel(channel<int>& numbers) {
  co_await go_to_task();
  EXPECT_NE(weft_task_self(), nullptr);
  int all = 0;
  for (const int n : numbers) all += n;
  co_return all;
}

TEST_F(cpp_coroutine, awaits_any_wait_and_waits_itself_in_a_task) {
  for (int way = 0; way < 2; ++way) {
    channel<int> numbers;
    auto sender = weft::spawn([&] {
      for (int i = 0; i < 50; ++i) numbers.send(i);
      numbers.close();
    });
    EXPECT_EQ(await(way == 0 ? of_channel(numbers) : in_a_task_of_channel(numbers)), 1225);
    sender.join();
  }
}

TEST_F(cpp_coroutine, is_awaited_by_a_thread_outside) {
  latch over(1);
  int got = 0;
  std::thread foreign([&] {
    got = await(of_tasks());
    over.count_down();
  });
  over.wait();
  foreign.join();
  EXPECT_EQ(got, 23);
}

}  // namespace
}  // namespace weft::test
