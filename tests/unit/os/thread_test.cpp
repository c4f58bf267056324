// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread runs its function once with its name, its stack and the creator's signal mask.
#include "os/thread.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <sys/prctl.h>

namespace weft::rt::os {
namespace {

// What a thread's variables take comes out of its stack.
constexpr std::size_t variables_bytes = std::size_t{400} * 1024;
thread_local volatile char variables[variables_bytes];

struct facts {
  std::string name;
  std::size_t stack_bytes = 0;
  sigset_t mask{};
  int runs = 0;
};

void look(void* arg) {
  auto* const out = static_cast<facts*>(arg);
  ++out->runs;
  char name[16] = {};
  (void)::prctl(PR_GET_NAME, name, 0, 0, 0);
  out->name = name;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
    (void)::pthread_attr_getstacksize(&attributes, &out->stack_bytes);
    (void)::pthread_attr_destroy(&attributes);
  }
  (void)::pthread_sigmask(SIG_BLOCK, nullptr, &out->mask);
}

facts run(const char* name, std::size_t stack_bytes) {
  facts seen;
  os_thread thread;
  EXPECT_EQ(thread.start(look, &seen, name, stack_bytes), 0);
  thread.join();
  return seen;
}

TEST(thread, runs_once_with_the_given_name) {
  const facts seen = run("weft-3", 0);
  EXPECT_EQ(seen.runs, 1);
  EXPECT_EQ(seen.name, "weft-3");
}

TEST(thread, cuts_a_long_name_to_15_bytes) {
  EXPECT_EQ(run("0123456789abcdefgh", 0).name, "0123456789abcde");
}

TEST(thread, keeps_the_name_of_the_creator_without_one) {
  char name[16] = {};
  (void)::prctl(PR_GET_NAME, name, 0, 0, 0);
  EXPECT_EQ(run(nullptr, 0).name, name);
}

TEST(thread, has_at_least_the_stack_asked_for) {
  constexpr std::size_t mib = 1024 * 1024;
  EXPECT_GE(run("big", 3 * mib + 1).stack_bytes, 3 * mib + 1);
  const facts seen = run("least", 1);  // less than any system accepts
  EXPECT_EQ(seen.runs, 1);
  EXPECT_LT(seen.stack_bytes, 3 * mib);
}

TEST(thread, inherits_the_signal_mask) {
  sigset_t blocked, before;
  (void)::sigemptyset(&blocked);
  (void)::sigaddset(&blocked, SIGUSR1);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  const facts seen = run("masked", 0);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
  EXPECT_TRUE(::sigismember(&seen.mask, SIGUSR1));
  EXPECT_FALSE(::sigismember(&seen.mask, SIGUSR2));
}

TEST(thread, refuses_a_stack_that_cannot_be_had) {
  facts seen;
  os_thread thread;
  const int error = thread.start(look, &seen, "huge", std::size_t{1} << 50);
  EXPECT_TRUE(error == -EAGAIN || error == -ENOMEM) << error;
  EXPECT_EQ(seen.runs, 0);
}

TEST(thread, can_be_started_again_after_a_join) {
  facts seen;
  os_thread thread;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(thread.start(look, &seen, "again", 0), 0);
    thread.join();
  }
  EXPECT_EQ(seen.runs, 3);
}

TEST(thread_death_test, must_be_joined_before_it_is_destroyed) {
  EXPECT_DEATH(
      {
        facts seen;
        os_thread thread;
        (void)thread.start(look, &seen, "lost", 0);
        thread.~os_thread();
      },
      "weft: an OS thread was never joined");
}

TEST(os_thread, with_a_small_stack_has_it_beside_the_variables_of_the_program) {
  const auto uses_both = [](void* told) {
    volatile char frame[48 * 1024];
    for (std::size_t i = 0; i < sizeof frame; i += 1024) frame[i] = 1;
    for (std::size_t i = 0; i < variables_bytes; i += 1024) variables[i] = 1;
    *static_cast<int*>(told) = frame[0] + variables[0];
  };
  int sum = 0;
  os_thread thread;
  ASSERT_EQ(thread.start(uses_both, &sum, "small", std::size_t{64} * 1024), 0);
  thread.join();
  EXPECT_EQ(sum, 2);
}

}  // namespace
}  // namespace weft::rt::os
