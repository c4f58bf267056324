// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// You may wake up elsewhere: what the runtime says is right after a migration, and sticky tasks
// stay. WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <cerrno>
#include <pthread.h>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

constexpr uint32_t workers = 4;

// A thread's own word, addressed anew at each call.
thread_local int own_word = 0;
__attribute__((noinline)) int* address_of_own_word() {
  asm volatile("" ::: "memory");
  return &own_word;
}
__attribute__((noinline)) int* address_of_errno() {
  asm volatile("" ::: "memory");
  return &errno;
}
// TSan does not watch: errno belongs to the thread, and tasks that use it in turn are not ordered.
__attribute__((noinline, no_sanitize("thread"))) int read_errno() { return *address_of_errno(); }
__attribute__((noinline, no_sanitize("thread"))) void write_errno(int v) {
  *address_of_errno() = v;
}

__attribute__((noinline)) void move_out_of_line(uint32_t to) {
  const weft_task_t me = weft_task_self();
  ASSERT_EQ(weft_task_migrate(to), 0);
  EXPECT_EQ(weft_worker_index(), to);
  EXPECT_EQ(weft_task_self(), me);
}

__attribute__((always_inline)) inline void move_inlined(uint32_t to) {
  const weft_task_t me = weft_task_self();
  ASSERT_EQ(weft_task_migrate(to), 0);
  EXPECT_EQ(weft_worker_index(), to);
  EXPECT_EQ(weft_task_self(), me);
}

TEST(hazard_you_may_wake_up_elsewhere, the_index_and_self_are_right_after_each_move) {
  const runtime weft(workers);
  auto body = [] {
    for (uint32_t i = 0; i < 100; ++i) {
      move_out_of_line(i % workers);
      move_inlined((i * 7 + 3) % workers);
    }
  };
  run_apart(body);
}

TEST(hazard_you_may_wake_up_elsewhere, each_worker_has_one_errno_and_one_thread_local) {
  const runtime weft(workers);
  std::vector<int*> words(workers);
  std::vector<int*> errnos(workers);
  auto body = [&] {
    for (uint32_t i = 0; i < 3 * workers; ++i) {
      const uint32_t at = i % workers;
      ASSERT_EQ(weft_task_migrate(at), 0);
      if (i < workers) {
        words[at] = address_of_own_word();
        errnos[at] = address_of_errno();
      }
      EXPECT_EQ(words[at], address_of_own_word());
      EXPECT_EQ(errnos[at], address_of_errno());
    }
  };
  run_apart(body);
  for (uint32_t i = 0; i < workers; ++i) {
    for (uint32_t k = 0; k < i; ++k) {
      EXPECT_NE(words[i], words[k]);
      EXPECT_NE(errnos[i], errnos[k]);
    }
  }
}

TEST(hazard_you_may_wake_up_elsewhere, calls_that_never_block_leave_errno_alone) {
  const runtime weft(workers);
  auto nothing = [] {};
  for (int i = 0; i < 1000; ++i) {
    write_errno(12345);
    weft_task_t t = spawn(nothing, on_worker(1 + static_cast<uint32_t>(i) % (workers - 1)));
    EXPECT_EQ(read_errno(), 12345);
    join(t);
    write_errno(12345);
    t = spawn(nothing);
    EXPECT_EQ(read_errno(), 12345);
    EXPECT_EQ(weft_task_detach(t), 0);
    EXPECT_EQ(read_errno(), 12345);
  }
}

TEST(hazard_you_may_wake_up_elsewhere, errno_of_one_worker_is_not_carried_to_another) {
  const runtime weft(workers);
  auto body = [] {
    for (uint32_t i = 0; i < workers; ++i) {
      ASSERT_EQ(weft_task_migrate(i), 0);
      write_errno(1000 + static_cast<int>(i));
    }
    for (uint32_t i = 1; i < workers; ++i) {  // worker 0 has run main meanwhile
      ASSERT_EQ(weft_task_migrate(i), 0);
      EXPECT_NE(read_errno(), 1000 + static_cast<int>(i) - 1);
    }
  };
  run_apart(body);
}

TEST(hazard_you_may_wake_up_elsewhere, a_sticky_task_stays_where_it_started) {
  const runtime weft(workers);
  struct {
    std::atomic<int> moved{0};
    std::atomic<int> running{0};
  } seen;
  constexpr int tasks = 64;
  auto body = [&seen] {
    const pthread_t home = pthread_self();
    const uint32_t index = weft_worker_index();
    int* const word = address_of_own_word();
    for (int i = 0; i < scaled(500); ++i) {
      weft_task_yield();
      if (weft_worker_index() != index || address_of_own_word() != word ||
          pthread_equal(pthread_self(), home) == 0)
        ++seen.moved;
    }
    ++seen.running;
  };
  std::vector<weft_task_t> all;
  for (int i = 0; i < tasks; ++i) all.push_back(spawn(body, with_flags(WEFT_SPAWN_STICKY)));
  for (weft_task_t t : all) join(t);
  EXPECT_EQ(seen.moved, 0);
  EXPECT_EQ(seen.running, tasks);
}

TEST(hazard_you_may_wake_up_elsewhere, a_task_that_makes_itself_sticky_comes_back_after_each_wait) {
  const runtime weft(workers);
  auto body = [] {
    ASSERT_EQ(weft_task_set_sticky(1), 0);
    const uint32_t home = weft_worker_index();
    const weft_task_t me = weft_task_self();
    auto waker = [me] { EXPECT_EQ(weft_task_resume(me), 0); };
    for (uint32_t i = 0; i < 40; ++i) {
      weft_task_t t = spawn(waker, on_worker(i % workers));
      ASSERT_EQ(weft_task_suspend(), 0);
      EXPECT_EQ(weft_worker_index(), home);
      join(t);
      EXPECT_EQ(weft_worker_index(), home);
    }
  };
  run_apart(body);
}

}  // namespace
}  // namespace weft::test
