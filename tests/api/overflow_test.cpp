// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that runs off its stack: one report that names it and its spawn site, then SIGSEGV as usual.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.hpp"

namespace weft::test {
namespace {

struct outcome {
  int status = 0;
  std::string said;
};

// Runs body in a child process; what it writes to standard error is kept.
template <class Body>
outcome in_child(Body body) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    body();
    _exit(0);
  }
  close(ends[1]);
  outcome o;
  char piece[512];
  ssize_t n = 0;
  while ((n = read(ends[0], piece, sizeof piece)) > 0) o.said.append(piece, static_cast<size_t>(n));
  close(ends[0]);
  waitpid(child, &o.status, 0);
  return o;
}

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

bool died(const outcome& o) {
  // A sanitizer catches the signal itself and exits with a code of its own after our report.
  return sanitized ? !(WIFEXITED(o.status) && WEXITSTATUS(o.status) == 0)
                   : WIFSIGNALED(o.status) && WTERMSIG(o.status) == SIGSEGV;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

void expect_one_report(const outcome& o, const std::string& name) {
  EXPECT_TRUE(died(o)) << o.status << "\n" << o.said;
  EXPECT_EQ(times(o.said, "weft: stack overflow: "), 1u) << o.said;
  EXPECT_EQ(times(o.said, " is in the guard below a stack of 64 KiB\n"), 1u) << o.said;
  EXPECT_TRUE(std::regex_search(o.said, std::regex("weft: running there: task \"" + name +
                                                   "\" 0x[0-9a-f]+, spawned at [^\n]+\n")))
      << o.said;
  EXPECT_EQ(times(o.said, "weft: set WEFT_STACK_SIZE="), 1u) << o.said;
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
  EXPECT_EQ(times(o.said, ", called by 1 joiner"), 1u) << o.said;
}

TEST(stack_overflow, under_mlockall_is_still_reported) {
  if (sanitized) GTEST_SKIP() << "a sanitizer's shadow memory cannot be locked";
  if (emulated) GTEST_SKIP() << "the emulator's own memory would be locked";
  const outcome probe = in_child([] { _exit(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : 1); });
  if (WEXITSTATUS(probe.status) != 0)
    GTEST_SKIP() << "RLIMIT_MEMLOCK does not permit mlockall here";
  const outcome o = in_child([] {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) _exit(1);
    start(1);
    run_as_task(big_frame_task, "locked");
  });
  if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == 100)
    GTEST_SKIP() << "RLIMIT_MEMLOCK leaves no room for stacks";
  expect_one_report(o, "locked");
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
  EXPECT_TRUE(died(o)) << o.status;
  EXPECT_EQ(times(o.said, "weft: "), 0u) << o.said;
}

}  // namespace
}  // namespace weft::test
