// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads are told apart; a fork's child and a thread's end make their calls.
#include "os/process.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace weft::rt::os {
namespace {

TEST(process, the_first_thread_is_known_and_others_differ) {
  EXPECT_TRUE(is_first_thread());
  const thread_id first = this_thread();
  EXPECT_TRUE(same_thread(first, this_thread()));
  std::thread([first] {
    EXPECT_FALSE(is_first_thread());
    EXPECT_FALSE(same_thread(first, this_thread()));
  }).join();
}

int told_in_child = 0;

TEST(process, a_child_calls_and_its_thread_is_the_first) {
  ASSERT_TRUE(at_fork_in_child([]() noexcept { ++told_in_child; }));
  std::thread([] {
    const pid_t child = fork();
    if (child == 0) _exit(is_first_thread() && told_in_child == 1 ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }).join();
  EXPECT_EQ(told_in_child, 0);
}

// Before the next one, which makes the key.
TEST(process, a_key_that_could_not_be_had_is_asked_for_again) {
  std::vector<pthread_key_t> all;
  pthread_key_t key{};
  while (pthread_key_create(&key, nullptr) == 0) all.push_back(key);
  std::thread([] { EXPECT_FALSE(at_thread_end([]() noexcept {})); }).join();
  for (const pthread_key_t each : all) ASSERT_EQ(pthread_key_delete(each), 0);
  std::thread([] { EXPECT_TRUE(at_thread_end([]() noexcept {})); }).join();
}

int told_at_end = 0;

TEST(process, a_threads_end_calls_on_that_thread_alone) {
  const auto tell = []() noexcept { ++told_at_end; };
  std::thread([tell] {
    ASSERT_TRUE(at_thread_end(tell));
    EXPECT_EQ(told_at_end, 0);
  }).join();
  EXPECT_EQ(told_at_end, 1);
  std::thread([] {}).join();
  EXPECT_EQ(told_at_end, 1);
}

}  // namespace
}  // namespace weft::rt::os
