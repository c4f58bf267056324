// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that runs off its stack: one report that names it and its spawn site, then SIGSEGV as
// usual. WEFT_TEST_AT_LEVEL_OF_LIBRARY
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "support.hpp"
#include "support/child.hpp"
#include "support/huge_pages.hpp"
#include "support/loader_lock.hpp"

namespace weft::test {
namespace {

__attribute__((noinline)) void touch(volatile char* p) { *p = 1; }

volatile bool forever = true;
__attribute__((noinline)) void recurse() {  // NOLINT(misc-no-recursion)
  volatile char frame[200];
  touch(frame);
  if (forever) recurse();
  touch(frame + 1);
}

// One frame of 40 KiB that touches its far end first, begun where less than that is left.
__attribute__((noinline)) void frame_of_40_kib() {
  volatile char frame[40 * 1024];
  touch(frame);
}
__attribute__((noinline)) void use_up() {  // NOLINT(misc-no-recursion)
  volatile char frame[1024];
  touch(frame);
  if (weft_task_stack_left() > 8 * 1024) {
    use_up();
  } else {
    frame_of_40_kib();
  }
  touch(frame + 1);
}

void* recurse_task(void*) {
  recurse();
  return nullptr;
}
void* big_frame_task(void*) {
  use_up();
  return nullptr;
}

void start(uint32_t workers) {
  weft_config_t c{};
  c.size = sizeof c;
  c.workers = workers;
  c.stack_bytes = 64 * 1024;
  if (weft_start(&c) != 0) _exit(100);
}

// Where it cannot be called on the stack of main, whose overflow is the system's own matter.
[[noreturn]] void run_as_task(weft_fn_t fn, const char* name) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.name = name;
  if (weft_task_spawn_with(fn, nullptr, &how, nullptr) != 0) _exit(101);
  for (;;) weft_task_suspend();
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

void expect_one_report(const outcome& o, const std::string& name) {
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status << "\n" << o.errors;
  EXPECT_EQ(times(o.errors, "weft: stack overflow: "), 1u) << o.errors;
  EXPECT_EQ(times(o.errors, " is in the guard below a stack of 64 KiB\n"), 1u) << o.errors;
  EXPECT_TRUE(std::regex_search(o.errors, std::regex("weft: running there: task \"" + name +
                                                     "\" 0x[0-9a-f]+, spawned at [^\n]+\n")))
      << o.errors;
  EXPECT_EQ(times(o.errors, "weft: set WEFT_STACK_SIZE="), 1u) << o.errors;
}

TEST(stack_overflow, of_endless_recursion_is_reported_once) {
  for (const uint32_t workers : {1u, 2u}) {
    const outcome o = in_child([workers] {
      start(workers);
      run_as_task(recurse_task, "endless");
    });
    expect_one_report(o, "endless");
  }
}

TEST(stack_overflow, of_a_frame_of_40_kib_does_not_jump_the_guard) {
  const outcome o = in_child([] {
    start(1);
    run_as_task(big_frame_task, "big frame");
  });
  expect_one_report(o, "big frame");
}

TEST(stack_overflow, of_a_task_called_inline_names_that_task) {
  const outcome o = in_child([] {
    start(1);
    run_as_task(
        [](void*) -> void* {
          weft_spawn_t how = WEFT_SPAWN_INIT;
          how.name = "child";
          weft_task_t child = nullptr;
          if (weft_task_spawn_with(recurse_task, nullptr, &how, &child) != 0) _exit(101);
          weft_task_join(child, nullptr);
          return nullptr;
        },
        "parent");
  });
  expect_one_report(o, "child");
  EXPECT_EQ(times(o.errors, ", called by 1 joiner"), 1u) << o.errors;
}

TEST(stack_overflow, of_a_task_on_a_thread_that_visits_it_is_reported) {
  const outcome o = in_child([] {
    start(1);
    static std::atomic<void*> left;
    std::thread([] {
      void* task;
      while ((task = left) == nullptr) std::this_thread::yield();
      weft_task_visit(task);
    }).detach();
    run_as_task(
        [](void*) -> void* {
          if (weft_task_leave([](void* task, void*) { left = task; }, nullptr) != 0) _exit(102);
          recurse();
          return nullptr;
        },
        "outside");
  });
  expect_one_report(o, "outside");
}

// Writes up from its caller's frame, over the end of the stack and what Weft has there.
__attribute__((noinline)) void write_upwards(volatile char* p) {
  for (;;) *p++ = 0;
}

TEST(stack_overflow, is_told_from_an_overrun_of_the_high_end) {
  if (sanitized) GTEST_SKIP() << "a sanitizer stops at the first byte past the array";
  const outcome o = in_child([] {
    start(1);
    run_as_task(
        [](void*) -> void* {
          volatile char local[16];
          write_upwards(local);
          return nullptr;
        },
        "upwards");
  });
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status << "\n" << o.errors;
  EXPECT_EQ(times(o.errors, "weft: stack overrun: "), 1u) << o.errors;
  EXPECT_EQ(times(o.errors, " is in the guard above a stack of 64 KiB\n"), 1u) << o.errors;
  EXPECT_EQ(times(o.errors, "weft: running there: task \"upwards\" 0x"), 1u) << o.errors;
  EXPECT_EQ(times(o.errors, "stack overflow"), 0u) << o.errors;
}

// Leaves less of the stack than the frame of any handler takes, and is interrupted there.
__attribute__((noinline, no_sanitize("address", "thread"))) void be_interrupted_near_the_end(
    const char* low) {
  const long process = getpid();
  const long thread = syscall(SYS_gettid);
  const auto left =
      static_cast<std::size_t>(static_cast<const char*>(__builtin_frame_address(0)) - low);
  touch(static_cast<volatile char*>(__builtin_alloca(left - 900)));
  syscall(SYS_tgkill, process, thread, SIGUSR1);
}

void* interrupted_task(void*) {
  void* low = nullptr;
  if (weft_task_stack_bounds(&low, nullptr) != 0) _exit(102);
  be_interrupted_near_the_end(static_cast<const char*>(low));
  _exit(103);  // it went on
}

TEST(stack_overflow, of_the_frame_of_a_signal_handler_is_reported) {
  const outcome o = in_child([] {
    struct sigaction action{};
    action.sa_handler = [](int) {};
    (void)sigaction(SIGUSR1, &action, nullptr);
    start(1);
    run_as_task(interrupted_task, "interrupted");
  });
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status << "\n" << o.errors;
  EXPECT_EQ(
      times(o.errors, "weft: stack overflow: the frame of a signal handler does not fit below 0x"),
      1u)
      << o.errors;
  EXPECT_EQ(times(o.errors, "weft: running there: task \"interrupted\" 0x"), 1u) << o.errors;
  EXPECT_EQ(times(o.errors, "weft: set WEFT_STACK_SIZE=128K or more"), 1u) << o.errors;
}

TEST(stack_overflow, is_reported_while_a_thread_loads_a_library) {
  const outcome o = in_child([] {
    alarm(5);  // ends it, should it wait for that thread
    hold_the_lock_of_the_loader();
    start(1);
    run_as_task(recurse_task, "while loading");
  });
  expect_one_report(o, "while loading");
}

TEST(stack_overflow, under_mlockall_is_still_reported) {
  if (sanitized) GTEST_SKIP() << "a sanitizer's shadow memory cannot be locked";
  if (emulated) GTEST_SKIP() << "the emulator's own memory would be locked";
  const outcome probe = in_child([] { _exit(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : 1); });
  if (!probe.exited_with(0)) GTEST_SKIP() << "RLIMIT_MEMLOCK does not permit mlockall here";
  const outcome o = in_child([] {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) _exit(1);
    start(1);
    run_as_task(big_frame_task, "locked");
  });
  if (o.exited_with(100)) GTEST_SKIP() << "RLIMIT_MEMLOCK leaves no room for stacks";
  expect_one_report(o, "locked");
}

TEST(stack_overflow, under_transparent_huge_pages_is_still_reported) {
  if (emulated) GTEST_SKIP() << "the emulator maps memory in its own way";
  const huge_pages_always huge;
  if (!huge.set()) GTEST_SKIP() << "transparent huge pages cannot be set to always here";
  const outcome o = in_child([] {
    start(1);
    run_as_task(big_frame_task, "huge");
  });
  expect_one_report(o, "huge");
}

TEST(stack_overflow, another_fault_is_not_called_one) {
  const outcome o = in_child([] {
    start(1);
    run_as_task(
        [](void*) -> void* {
          volatile char* volatile nowhere = nullptr;
          *nowhere = 1;
          return nullptr;
        },
        "wild");
  });
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  EXPECT_EQ(times(o.errors, "weft: "), 0u) << o.errors;
}

}  // namespace
}  // namespace weft::test
