// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Started on a stack that is not the thread's own, as on another library's coroutine: all works
// there, and nothing of that stack or of what lies between it and the thread's own is taken for
// unused.
#include <cstring>
#include <thread>
#include <ucontext.h>
#include <vector>

#include "children.hpp"

namespace weft::test {
namespace {

// A coroutine's stack in the heap.
struct coroutine {
  ucontext_t back;
  ucontext_t own;
  std::vector<char> stack = std::vector<char>(std::size_t{512} * 1024);
  void (*body)();
};
coroutine* current = nullptr;

void enter() { current->body(); }

// Runs body on c's stack, on the calling thread.
void run_on(coroutine& c, void (*body)()) {
  c.body = body;
  ASSERT_EQ(getcontext(&c.own), 0);
  c.own.uc_stack.ss_sp = c.stack.data();
  c.own.uc_stack.ss_size = c.stack.size();
  c.own.uc_link = &c.back;
  makecontext(&c.own, enter, 0);
  current = &c;
  ASSERT_EQ(swapcontext(&c.back, &c.own), 0);
}

constexpr std::size_t page = 4096;

void starts_computes_and_stops() {
  char below[16 * page];  // what a trim of a wrong range would empty
  std::memset(below, 'x', sizeof below);
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 2;
  ASSERT_EQ(weft_start(&config), 0);
  EXPECT_EQ(weft_worker_index(), 0u);
  EXPECT_EQ(weft_task_stack_left(), 0u);
  for (int i = 0; i < 20; ++i) {  // parks 1, 2, 4, 8 and 16 look for pages to give back
    EXPECT_TRUE(fib_is_right());
    auto resumes = [me = weft_task_self()] { EXPECT_EQ(weft_task_resume(me), 0); };
    const weft_task_t t = spawn(resumes);
    EXPECT_EQ(weft_task_suspend(), 0);
    join(t);
  }
  EXPECT_EQ(weft_stop(), 0);
  for (const char c : below) ASSERT_EQ(c, 'x');
}

class lifecycle_stack : public testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "a sanitizer does not know of the coroutine's stack";
  }
};

TEST_F(lifecycle_stack, a_start_on_a_coroutines_stack_works_and_spoils_nothing) {
  coroutine c;
  run_on(c, starts_computes_and_stops);
}

TEST_F(lifecycle_stack, nor_does_one_where_the_threads_own_stack_lies_below) {
  coroutine c;
  const std::vector<char> between(std::size_t{256} * 1024, 'y');
  // New mappings lie below older ones, so this thread's stack lies below the two.
  std::thread([&c] { run_on(c, starts_computes_and_stops); }).join();
  for (const char byte : between) ASSERT_EQ(byte, 'y');
}

TEST_F(lifecycle_stack, the_thread_may_start_on_its_own_stack_afterwards) {
  coroutine c;
  run_on(c, starts_computes_and_stops);
  const runtime weft(2);
  EXPECT_GT(weft_task_stack_left(), 0u);
  EXPECT_TRUE(fib_is_right());
}

}  // namespace
}  // namespace weft::test
