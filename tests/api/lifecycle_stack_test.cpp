// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Started on a stack that is not the thread's own, as on another library's coroutine: all works
// there, and nothing of that stack or of what lies between it and the thread's own is taken for
// unused. What is unused on a thread's own stack is given back.
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
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

// A stack that the program gives a thread of its own.
class given_stack {
 public:
  given_stack(std::size_t bytes, std::size_t offset) : bytes_(bytes), offset_(offset) {
    memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory_, MAP_FAILED);
    (void)madvise(memory_, bytes, MADV_NOHUGEPAGE);
  }
  given_stack(const given_stack&) = delete;
  given_stack& operator=(const given_stack&) = delete;
  ~given_stack() { munmap(memory_, bytes_); }

  void run(void* (*fn)(void*), void* argument) const {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(
        pthread_attr_setstack(&attributes, static_cast<char*>(memory_) + offset_, bytes_ - page),
        0);
    pthread_t thread{};
    ASSERT_EQ(pthread_create(&thread, &attributes, fn, argument), 0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
    ASSERT_EQ(pthread_attr_destroy(&attributes), 0);
  }
  // Of its lower three quarters.
  std::size_t resident_pages() const {
    const std::size_t part = bytes_ / 4 * 3;
    std::vector<unsigned char> in_memory(part / page);
    EXPECT_EQ(mincore(memory_, part, in_memory.data()), 0);
    std::size_t n = 0;
    for (const unsigned char each : in_memory) n += each & 1u;
    return n;
  }

 private:
  std::size_t bytes_;
  std::size_t offset_;
  void* memory_;
};

__attribute__((noinline, no_sanitize("address", "thread"))) void go_deep(std::size_t bytes) {
  volatile char* const low = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += page) low[i] = 1;
}

struct trial {
  const given_stack* stack;
  std::size_t depth;
};

void* goes_deep_and_waits(void* argument) {
  const trial& t = *static_cast<const trial*>(argument);
  const runtime weft(1);
  go_deep(t.depth);
  EXPECT_GT(t.stack->resident_pages(), 0u);
  for (int i = 0; i < 20; ++i) {  // as above
    auto resumes = [me = weft_task_self()] { EXPECT_EQ(weft_task_resume(me), 0); };
    const weft_task_t resuming = spawn(resumes);
    EXPECT_EQ(weft_task_suspend(), 0);
    join(resuming);
  }
  EXPECT_EQ(t.stack->resident_pages(), 0u);
  return nullptr;
}

TEST(lifecycle_own_stack, what_a_large_one_keeps_below_a_wait_is_given_back) {
  const given_stack stack(std::size_t{16} << 20, 0);  // more than Weft uses of one
  trial t{&stack, std::size_t{7} << 20};
  stack.run(goes_deep_and_waits, &t);
}

TEST(lifecycle_own_stack, so_it_is_where_it_does_not_begin_at_a_page) {
  const given_stack stack(std::size_t{2} << 20, 64);
  trial t{&stack, std::size_t{1} << 20};
  stack.run(goes_deep_and_waits, &t);
}

TEST(lifecycle_own_stack, one_of_32_kib_is_enough_to_start_on) {
  if (sanitized) GTEST_SKIP() << "a sanitizer's frames are larger";
  if (sysconf(_SC_THREAD_STACK_MIN) > 32 * 1024) GTEST_SKIP() << "the system gives no such thread";
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{32} * 1024), 0);
  pthread_t thread{};
  const auto starts = [](void* failed) -> void* {
    *static_cast<int*>(failed) = weft_start(nullptr);
    if (weft_stop() != 0) *static_cast<int*>(failed) = 1;
    return nullptr;
  };
  int failed = -1;
  ASSERT_EQ(pthread_create(&thread, &attributes, starts, &failed), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_EQ(failed, 0);
  ASSERT_EQ(pthread_attr_destroy(&attributes), 0);
}

}  // namespace
}  // namespace weft::test
