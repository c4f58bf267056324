// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the public headers share: spawning callables, waiting, counts scaled by build.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <mutex>
#include <string>

#include <weft/weft.h>

#include "support/build.hpp"

namespace weft::test {

// Under an emulator a test program cannot start itself again. No other thread runs then, either
// way.
inline constexpr const char* death_test_style = emulated ? "fast" : "threadsafe";

// n, or less where every step takes longer; at least 1.
constexpr int scaled(int n) {
  const int slower = tsan ? 50 : asan ? 10 : emulated ? 20 : 1;
  return n / slower > 0 ? n / slower : 1;
}

// Depth of chains that keep a frame, and a fiber of the sanitizer, each.
constexpr int scaled_alive(int n) {
  const int slower = tsan ? 500 : asan ? 100 : emulated ? 20 : 1;
  return n / slower > 0 ? n / slower : 1;
}

// Whether each task resumes only where it started (WEFT_STICKY=1): others cannot take it from an
// owner that does not call the runtime.
inline bool all_sticky() {
  const char* const value = std::getenv("WEFT_STICKY");
  return value != nullptr && std::string(value) == "1";
}

// How long a test waits before it says that it waits in vain. No test passes by the time it took.
inline constexpr std::chrono::seconds patience{30};

// Computes without calling the runtime until `done` says so. False: in vain.
template <class Done>
bool compute_until(Done&& done) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!done())
    if (std::chrono::steady_clock::now() > until) return false;
  return true;
}

// Yields until `done` says so. False: in vain.
template <class Done>
bool yield_until(Done&& done) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    weft_task_yield();
    if (std::chrono::steady_clock::now() > until) return false;
  }
  return true;
}

template <class F>
void* call(void* f) {
  (*static_cast<F*>(f))();
  return nullptr;
}

inline weft_spawn_t with_flags(uint32_t flags) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.flags = flags;
  return how;
}

inline weft_spawn_t on_worker(uint32_t worker) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = worker;
  return how;
}

// Spawns a task that calls f, which the caller keeps alive until the task has ended.
template <class F>
weft_task_t spawn(F& f) {
  weft_task_t t = nullptr;
  EXPECT_EQ(weft_task_spawn(call<F>, &f, &t), 0);
  return t;
}
template <class F>
weft_task_t spawn(F& f, const weft_spawn_t& how) {
  weft_task_t t = nullptr;
  EXPECT_EQ(weft_task_spawn_with(call<F>, &f, &how, &t), 0);
  return t;
}

inline void join(weft_task_t t) { EXPECT_EQ(weft_task_join(t, nullptr), 0); }

inline weft_stats_t stats() {
  weft_stats_t s{};
  s.size = sizeof s;
  EXPECT_EQ(weft_stats_read(&s), 0);
  return s;
}

// Letters in the order in which tasks wrote them. Tasks on one worker take turns, but that is no
// order in which they may touch the same memory: hence the lock.
class letters {
 public:
  letters& operator+=(char c) {
    const std::lock_guard held(mutex_);
    text_ += c;
    return *this;
  }
  std::string text() const {
    const std::lock_guard held(mutex_);
    return text_;
  }
  std::size_t size() const { return text().size(); }
  char operator[](std::size_t i) const { return text().at(i); }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// A runtime with options of its own, stopped at the end of its scope.
class runtime {
 public:
  explicit runtime(uint32_t workers, std::size_t stack_bytes = 0,
                   weft_main_mode_t main = WEFT_MAIN_WORKER) {
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = workers;
    config.main_mode = static_cast<uint32_t>(main);
    config.stack_bytes = stack_bytes;
    EXPECT_EQ(weft_start(&config), 0);
  }
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  // A test leaves no task parked.
  ~runtime() { EXPECT_EQ(weft_stop(), 0); }
};

// A runtime as the environment says (WEFT_WORKERS) around each test.
class at_workers : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(weft_start(nullptr), 0); }
  void TearDown() override { EXPECT_EQ(weft_stop(), 0); }
};

// Runs f as a task with a stack of its own, not inline on the caller's.
template <class F>
void run_apart(F& f, uint32_t flags = 0) {
  struct packet {
    F& f;
    weft_task_t waiter;
  } p{f, weft_task_self()};
  const auto body = [](void* arg) -> void* {
    auto* q = static_cast<packet*>(arg);
    q->f();
    EXPECT_EQ(weft_task_resume(q->waiter), 0);
    return nullptr;
  };
  const weft_spawn_t how = with_flags(flags);
  weft_task_t t = nullptr;
  ASSERT_EQ(weft_task_spawn_with(body, &p, &how, &t), 0);
  EXPECT_EQ(weft_task_suspend(), 0);
  join(t);
}

}  // namespace weft::test
