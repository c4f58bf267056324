// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stop gives back what tasks have beside their descriptors, also those that it abandons.
#include "sched/extra.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <thread>

#include <weft/weft.h>

namespace {

// Blocks of whole lines that were asked for and not given back.
std::atomic<long> blocks{0};

}  // namespace

// The thread sanitizer has these, and cannot be told that there are others. The address sanitizer
// looks for what was lost at the end of the program.
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if !defined(__SANITIZE_THREAD__) && !__has_feature(thread_sanitizer) && \
    !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t to,
                                     const std::nothrow_t&) noexcept {
  const auto line = static_cast<std::size_t>(to);
  void* const p = std::aligned_alloc(line, (bytes + line - 1) / line * line);
  if (p != nullptr) ++blocks;
  return p;
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t to) {
  void* const p = operator new(bytes, to, std::nothrow);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept {
  if (p != nullptr) --blocks;
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t to) noexcept {
  operator delete(p, to);
}
#endif

namespace weft::rt {
namespace {

weft_semaphore_t never;
weft_slot_t slot;

void* waits(void*) {
  (void)weft_semaphore_wait(&never);
  return nullptr;
}

void* waits_in_a_scope(void*) {
  weft_cancel_t canceller = WEFT_CANCEL_INIT;
  weft_cancel_scope_t scope;
  EXPECT_EQ(weft_cancel_enter(&canceller, &scope), 0);
  return waits(nullptr);
}

void* waits_with_a_value(void* argument) {
  EXPECT_EQ(weft_slot_set(slot, argument), 0);
  return waits(nullptr);
}

void spawn(weft_fn_t fn) { EXPECT_EQ(weft_task_spawn(fn, nullptr, nullptr), 0); }

void spawn_furnished(weft_fn_t fn) {
  static uint64_t argument[40] = {};
  static const uint64_t key[3] = {1, 2, 3};
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.name = "furnished";
  how.copy_bytes = sizeof argument;
  how.key = key;
  how.key_words = 3;
  weft_task_t not_joined = nullptr;
  EXPECT_EQ(weft_task_spawn_with(fn, argument, &how, &not_joined), 0);
}

// The number of blocks that are left of a runtime in which `body` is called.
long left_of(void (*body)(), int least_abandoned) {
  const long before = blocks;
  never = WEFT_SEMAPHORE_INIT(0);
  EXPECT_EQ(weft_start(nullptr), 0);
  body();
  EXPECT_GE(weft_stop(), least_abandoned);
  return blocks - before;
}

class extra : public testing::Test {
 protected:
  void SetUp() override {
    (void)left_of([] {}, 0);
  }  // what is asked for once and kept
};

TEST_F(extra, a_task_that_is_abandoned_in_the_scope_of_a_canceller_leaves_nothing) {
  EXPECT_EQ(left_of([] { spawn(waits_in_a_scope); }, 1), 0);
}

TEST_F(extra, a_task_that_is_abandoned_leaves_neither_argument_nor_key_nor_values) {
  static std::atomic<int> destroyed;
  destroyed = 0;
  ASSERT_EQ(weft_slot_create([](void*) { ++destroyed; }, &slot), 0);
  EXPECT_EQ(left_of([] { spawn_furnished(waits_with_a_value); }, 1), 0);
  EXPECT_EQ(destroyed, 0) << "it has not ended";
  EXPECT_EQ(weft_slot_delete(slot), 0);
}

TEST_F(extra, a_task_that_nobody_joins_leaves_nothing) {
  EXPECT_EQ(left_of([] { spawn_furnished([](void*) -> void* { return nullptr; }); }, 0), 0);
}

TEST_F(extra, a_task_that_never_starts_leaves_nothing) {
  static uint64_t word = 0;
  const auto body = [] {
    EXPECT_EQ(weft_word_empty(&word), 0);
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.name = "held back";
    const uint64_t* const words[] = {&word};
    EXPECT_EQ(weft_task_spawn_when(waits, nullptr, &how, words, 1, nullptr), 0);
  };
  (void)left_of(body, 0);  // the table of words grows
  EXPECT_EQ(weft_word_fill(&word), 0);
  EXPECT_EQ(left_of(body, 0), 0);
  EXPECT_EQ(weft_word_fill(&word), 0);
}

void* joins_a_fork(void*) {
  weft_fork_t fork;
  EXPECT_EQ(weft_fork_start(&fork, waits_in_a_scope, nullptr), 0);
  (void)weft_fork_join(&fork, nullptr);
  return nullptr;
}

void* waits_before_it_joins_a_fork(void*) {
  weft_fork_t fork;
  EXPECT_EQ(weft_fork_start(&fork, waits_in_a_scope, nullptr), 0);
  (void)waits(nullptr);
  (void)weft_fork_join(&fork, nullptr);
  return nullptr;
}

TEST_F(extra, a_fork_that_is_abandoned_on_its_joiners_stack_leaves_nothing) {
  EXPECT_EQ(left_of([] { spawn(joins_a_fork); }, 1), 0);
}

TEST_F(extra, a_fork_that_is_abandoned_on_a_stack_of_its_own_leaves_nothing) {
  EXPECT_EQ(left_of([] { spawn(waits_before_it_joins_a_fork); }, 2), 0);
}

weft_fork_t fork_elsewhere;  // in no frame of a task's

TEST_F(extra, a_fork_whose_descriptor_is_in_no_frame_leaves_nothing) {
  const auto body = [] {
    spawn([](void*) -> void* {
      EXPECT_EQ(weft_fork_start(&fork_elsewhere, waits_in_a_scope, nullptr), 0);
      (void)weft_fork_join(&fork_elsewhere, nullptr);
      return nullptr;
    });
  };
  EXPECT_EQ(left_of(body, 1), 0);
}

TEST_F(extra, a_fork_of_main_that_is_abandoned_leaves_nothing) {
  const auto body = [] {
    EXPECT_EQ(weft_fork_start(&fork_elsewhere, waits_in_a_scope, nullptr), 0);
  };
  EXPECT_EQ(left_of(body, 1), 0);
}

TEST_F(extra, a_fork_of_a_thread_outside_that_is_abandoned_leaves_nothing) {
  static std::thread outside;
  static std::atomic<bool> started;
  started = false;
  const auto body = [] {
    outside = std::thread([] {
      weft_fork_t fork;
      EXPECT_EQ(weft_fork_start(&fork, waits_in_a_scope, nullptr), 0);
      started = true;
      EXPECT_EQ(weft_fork_join(&fork, nullptr), -ENOTCONN);
    });
    while (!started) std::this_thread::yield();
  };
  EXPECT_EQ(left_of(body, 1), 0);
  outside.join();
}

TEST_F(extra, a_fork_that_has_ended_leaves_nothing_where_its_joiner_is_abandoned) {
  const auto body = [] {
    spawn([](void*) -> void* {
      weft_fork_t fork;
      const auto asks_for_its_id = [](void*) -> void* {
        EXPECT_NE(weft_task_id(nullptr), 0u);
        return nullptr;
      };
      EXPECT_EQ(weft_fork_start(&fork, asks_for_its_id, nullptr), 0);
      (void)waits(nullptr);
      (void)weft_fork_join(&fork, nullptr);
      return nullptr;
    });
  };
  EXPECT_EQ(left_of(body, 1), 0);
}

}  // namespace
}  // namespace weft::rt
