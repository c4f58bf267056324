// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the life cycle share: child processes and their ends, tasks in the background.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "support.hpp"

namespace weft::test {

// A child that is at it for so long hangs.
inline constexpr unsigned child_seconds = 40;

// Runs body in a child of fork() and says how that ended: "exit 0", "signal 11". Where body
// returns, the child goes on as the caller of this function, so it ends by itself.
template <class F>
std::string end_of_child(F&& body) {
  std::fflush(nullptr);  // or the child writes it, too
  const pid_t child = fork();
  if (child == 0) {
    alarm(child_seconds);
    body();
    return "the child went on";
  }
  if (child < 0) return "no child";
  int status = 0;
  if (waitpid(child, &status, 0) != child) return "lost";
  if (WIFEXITED(status)) return "exit " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return "hung";
  return "signal " + std::to_string(WTERMSIG(status));
}

// Spawns and joins all the way down.
inline void* fib_task(void* arg) {
  const auto n = reinterpret_cast<intptr_t>(arg);
  if (n < 2) return arg;
  weft_task_t child = nullptr;
  if (weft_task_spawn(fib_task, reinterpret_cast<void*>(n - 1), &child) != 0) std::abort();
  const auto b = reinterpret_cast<intptr_t>(fib_task(reinterpret_cast<void*>(n - 2)));
  void* a = nullptr;
  if (weft_task_join(child, &a) != 0) std::abort();
  return reinterpret_cast<void*>(reinterpret_cast<intptr_t>(a) + b);
}

// Whether the runtime works: two numbers of tasks that are known.
inline bool fib_is_right() {
  const bool inlined =
      fib_task(reinterpret_cast<void*>(intptr_t{14})) == reinterpret_cast<void*>(intptr_t{377});
  weft_task_t t = nullptr;
  void* result = nullptr;
  return inlined && weft_task_spawn(fib_task, reinterpret_cast<void*>(intptr_t{10}), &t) == 0 &&
         weft_task_join(t, &result) == 0 && result == reinterpret_cast<void*>(intptr_t{55});
}

// Tasks of every kind while it lives: some compute, some yield, some are parked, some are being
// spawned.
class background {
 public:
  background() {
    // The first and the last worker are left to the test.
    for (uint32_t i = 1; i < 3 && i + 1 < weft_worker_count(); ++i)
      tasks_.push_back(spawn_one(computes, on_worker(i)));
    for (int i = 0; i < 10; ++i) tasks_.push_back(spawn_one(yields));
    for (int i = 0; i < 5; ++i) tasks_.push_back(spawn_one(spawns));
    for (int i = 0; i < 10; ++i) parked_.push_back(spawn_one(parks));
  }
  background(const background&) = delete;
  background& operator=(const background&) = delete;
  ~background() {
    over_ = true;
    for (weft_task_t t : parked_) {
      const int r = weft_task_resume(t);
      EXPECT_TRUE(r == 0 || r == -ESRCH) << r;
    }
    for (weft_task_t t : parked_) join(t);
    for (weft_task_t t : tasks_) join(t);
  }

 private:
  weft_task_t spawn_one(weft_fn_t fn, const weft_spawn_t& how = WEFT_SPAWN_INIT) {
    weft_task_t t = nullptr;
    EXPECT_EQ(weft_task_spawn_with(fn, this, &how, &t), 0);
    return t;
  }
  bool over() const { return over_.load(std::memory_order_relaxed); }

  static void* computes(void* me) {
    while (!static_cast<background*>(me)->over()) {
    }
    return nullptr;
  }
  static void* yields(void* me) {
    while (!static_cast<background*>(me)->over()) weft_task_yield();
    return nullptr;
  }
  static void* spawns(void* me) {
    while (!static_cast<background*>(me)->over()) {
      EXPECT_EQ(fib_task(reinterpret_cast<void*>(intptr_t{8})),
                reinterpret_cast<void*>(intptr_t{21}));
      weft_task_yield();
    }
    return nullptr;
  }
  static void* parks(void* me) {
    while (!static_cast<background*>(me)->over()) weft_task_suspend();
    return nullptr;
  }

  std::atomic<bool> over_{false};
  std::vector<weft_task_t> tasks_;
  std::vector<weft_task_t> parked_;
};

}  // namespace weft::test
