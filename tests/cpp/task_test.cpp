// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft::spawn and weft::task: values, exceptions, stops, waits, the end of an unjoined one.
// WEFT_TEST_AT_WORKERS WEFT_TEST_AT_LEVEL_OF_LIBRARY
#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <weft/weft.hpp>

#include "support.hpp"
#include "support/child.hpp"

namespace weft::test {
namespace {

using namespace std::chrono_literals;
using cpp_task = at_workers;

TEST_F(cpp_task, gives_what_the_callable_returns) {
  EXPECT_EQ(weft::spawn([] { return 42; }).join(), 42);
  EXPECT_EQ(weft::spawn([](int a, std::string b) { return b + std::to_string(a); }, 7, "x").join(),
            "x7");
  int here = 0;
  int& same = weft::spawn([&here]() -> int& { return here; }).join();
  EXPECT_EQ(&same, &here);
  weft::spawn([](int& out) { out = 5; }, std::ref(here)).join();
  EXPECT_EQ(here, 5);
}

struct account {
  int cents = 0;
  int put(int more) { return cents += more; }
  int look() const { return cents; }
};
struct savings : account {};

TEST_F(cpp_task, calls_members_of_objects_pointers_and_references) {
  savings mine;
  EXPECT_EQ(weft::spawn(&account::put, &mine, 3).join(), 3);
  EXPECT_EQ(weft::spawn(&account::put, std::ref(mine), 4).join(), 7);
  EXPECT_EQ(weft::spawn(&account::look, std::cref(mine)).join(), 7);
  EXPECT_EQ(weft::spawn(&account::look, mine).join(), 7);  // of a copy
  EXPECT_EQ(weft::spawn(&account::look, std::make_unique<savings>(mine)).join(), 7);
  int& cents = weft::spawn(&account::cents, std::ref(mine)).join();
  EXPECT_EQ(&cents, &mine.cents);
}

TEST_F(cpp_task, gives_a_reference_to_move_from) {
  auto here = std::make_unique<int>(8);
  auto t = weft::spawn([&]() -> std::unique_ptr<int>&& { return std::move(here); });
  const std::unique_ptr<int> got = t.join();
  EXPECT_EQ(*got, 8);
  EXPECT_EQ(here, nullptr);
}

TEST_F(cpp_task, moves_what_can_only_be_moved) {
  auto in = std::make_unique<int>(3);
  auto t = weft::spawn([](std::unique_ptr<int> p) { return p; }, std::move(in));
  EXPECT_EQ(*t.join(), 3);
}

TEST_F(cpp_task, throws_at_the_joiner_what_left_the_callable) {
  for (int i = 0; i < 100; ++i) {
    auto t = weft::spawn([i]() -> int { throw std::runtime_error("number " + std::to_string(i)); });
    if (i % 2 == 0) weft::this_task::yield();
    try {
      (void)t.join();
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(e.what(), "number " + std::to_string(i));
    }
    EXPECT_FALSE(t.joinable());
  }
}

// How many of them live. Not by std::shared_ptr, which counts without order while a process has one
// thread.
class living {
 public:
  explicit living(std::atomic<int>& count) : count_(&count) { ++*count_; }
  living(const living& other) : living(*other.count_) {}
  ~living() { --*count_; }
  living& operator=(const living&) = delete;

 private:
  std::atomic<int>* count_;
};

TEST_F(cpp_task, ends_what_its_callable_holds_before_it_is_joined) {
  std::atomic<int> count{0};
  const living alive(count);
  auto gives = weft::spawn([alive] { return 3; });
  auto takes = weft::spawn([](const living&) { return 4; }, alive);
  auto throws = weft::spawn([alive]() -> int { throw 5; });
  gives.wait();
  takes.wait();
  throws.wait();
  EXPECT_EQ(count, 1);
  EXPECT_EQ(gives.join(), 3);
  EXPECT_EQ(takes.join(), 4);
  EXPECT_THROW(throws.join(), int);
  EXPECT_EQ(count, 1);
  // One that never runs.
  EXPECT_THROW((void)weft::spawn({.worker = 1u << 20}, [alive] {}), std::system_error);
  EXPECT_EQ(count, 1);
}

TEST_F(cpp_task, that_was_not_joined_is_joined_at_the_end_of_its_scope) {
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> ran{0};
    auto yields = [&ran] {
      weft::this_task::yield();
      ++ran;
    };
    {
      auto t = weft::spawn(yields);
      auto fails = weft::spawn([] { throw 1; });
      auto moved = std::move(t);
      moved = weft::spawn(yields);
      EXPECT_GE(ran, 1);
    }
    EXPECT_EQ(ran, 2);
  }
}

TEST_F(cpp_task, is_told_to_stop_by_its_end) {
  std::atomic<bool> began{false};
  bool stopped = false;
  {
    auto t = weft::spawn([&](std::stop_token stop) {
      began = true;
      while (!stop.stop_requested()) weft::this_task::yield();
      stopped = true;
    });
    ASSERT_TRUE(yield_until([&] { return began.load(); }));
    EXPECT_TRUE(t.get_stop_source().stop_possible());
  }
  EXPECT_TRUE(stopped);
  auto deaf = weft::spawn([] {});
  EXPECT_FALSE(deaf.request_stop());
}

TEST_F(cpp_task, is_waited_for_by_deadline_and_joined_after) {
  binary_semaphore go(0);
  auto t = weft::spawn([&] {
    go.acquire();
    return 9;
  });
  EXPECT_FALSE(t.wait_for(1ms));
  EXPECT_FALSE(t.wait_until(std::chrono::steady_clock::now() - 1s));
  EXPECT_FALSE(t.wait_until(std::chrono::system_clock::now() + 1ms));
  EXPECT_FALSE(t.done());
  go.release();
  EXPECT_TRUE(t.wait_for(std::chrono::hours::max()));
  EXPECT_TRUE(t.done());
  EXPECT_TRUE(t.wait_for(0s));
  EXPECT_EQ(t.join(), 9);
  EXPECT_THROW((void)t.wait(), std::system_error);
}

TEST_F(cpp_task, is_spawned_as_its_options_say) {
  spawn_options how;
  how.worker = weft_worker_count() - 1;
  how.name = "the last";
  auto t = weft::spawn(how, [] {
    EXPECT_STREQ(weft_task_name(nullptr), "the last");
    EXPECT_EQ(weft::this_task::worker(), weft_worker_count() - 1);
  });
  t.join();
  mutex held;
  held.lock();
  auto refused = weft::spawn({.stackless = true}, [&] { held.lock(); });
  try {
    refused.join();
    FAIL() << "a stackless task waited";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), std::errc::operation_not_permitted);
  }
  held.unlock();
  EXPECT_THROW((void)weft::spawn({.worker = 1u << 20}, [] {}), std::system_error);
}

TEST_F(cpp_task, detached_runs_to_its_end) {
  latch all(50);
  for (int i = 0; i < 50; ++i) weft::spawn_detached([&] { all.count_down(); });
  all.wait();
}

TEST(cpp_task_alone, ends_after_weft_has_stopped) {
  ASSERT_EQ(weft_start(nullptr), 0);
  {
    const weft::task<int> t = weft::spawn([] { return 42; });
    EXPECT_EQ(weft_stop(), 0);
  }
  ASSERT_EQ(weft_start(nullptr), 0);
  {
    const weft::task<int> t = weft::spawn([] { return 42; });
    const outcome child = in_child([&] {
      weft::task<int> here = std::move(const_cast<weft::task<int>&>(t));
      here = {};
      _exit(42);
    });
    EXPECT_TRUE(child.exited_with(42)) << child.errors;
  }
  EXPECT_EQ(weft_stop(), 0);
}

TEST(cpp_task_alone, ends_as_a_fork_after_weft_has_stopped) {
  const outcome joins = in_child([] {
    if (weft_start(nullptr) != 0) _exit(1);
    weft::scoped_fork f([] { return 1; });
    if (weft_stop() != 0) _exit(2);
    try {
      (void)f.join();
    } catch (const std::system_error& e) {
      _exit(e.code() == std::errc::not_connected ? 42 : 3);
    }
    _exit(4);
  });
  EXPECT_TRUE(joins.exited_with(42)) << joins.status << joins.errors;
  const outcome ends = in_child([] {
    if (weft_start(nullptr) != 0) _exit(1);
    {
      const weft::scoped_fork f([] {});
      if (weft_stop() != 0) _exit(2);
    }
    _exit(42);
  });
  EXPECT_TRUE(ends.exited_with(42)) << ends.status << ends.errors;
}

// Its stop would call back on the stack of a task that is not there any more.
TEST(cpp_task_alone, ends_after_a_stop_has_abandoned_it_where_it_waited_for_a_stop) {
  const outcome child = in_child([] {
    if (weft_start(nullptr) != 0) _exit(1);
    {
      binary_semaphore never(0);
      std::atomic<int> waiting{0};
      const std::function<void(std::stop_token)> waits = [&](const std::stop_token& stop) {
        const stop_scope in(stop);
        ++waiting;
        never.acquire();
      };
      task<void> t = weft::spawn(waits);
      std::stop_source parent;
      group all(parent.get_token());
      all.spawn(waits);
      if (!yield_until([&] { return waiting == 2; })) _exit(2);
      if (weft_stop() != 2) _exit(3);
      if (t.request_stop()) _exit(4);
      parent.request_stop();
      all.wait();
      all.cancel();
      if (all.cancelled()) _exit(5);
    }
    _exit(42);
  });
  EXPECT_TRUE(child.exited_with(42)) << child.status << child.errors;
}

TEST_F(cpp_task, waits_until_the_ends_of_any_clock) {
  binary_semaphore s(0);
  using std::chrono::system_clock;
  EXPECT_FALSE(s.try_acquire_until(system_clock::time_point::min()));
  EXPECT_FALSE(s.try_acquire_until(std::chrono::sys_seconds::min()));
  for (int i = 0; i < 2; ++i) {
    auto later = weft::spawn([&] {
      weft::this_task::sleep_for(2ms);
      s.release();
    });
    EXPECT_TRUE(i == 0 ? s.try_acquire_until(std::chrono::sys_seconds::max())
                       : s.try_acquire_until(system_clock::time_point::max()));
  }
}

TEST_F(cpp_task, sleeps_until_a_moment_of_any_clock) {
  const auto begin = std::chrono::steady_clock::now();
  weft::this_task::sleep_for(2ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
  const auto until = std::chrono::system_clock::now() + 2ms;
  weft::this_task::sleep_until(until);
  EXPECT_GE(std::chrono::system_clock::now(), until);
  weft::this_task::sleep_until(std::chrono::steady_clock::time_point::min());
}

TEST_F(cpp_task, from_a_foreign_thread) {
  int got = 0;
  latch over(1);
  std::thread foreign([&] {
    got = weft::spawn([] { return 6; }).join();
    over.count_down();
  });
  over.wait();
  foreign.join();
  EXPECT_EQ(got, 6);
}

}  // namespace
}  // namespace weft::test
