// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What could not have its handlers of fork() once has them when it is asked for again, and a child
// that is forked while they are being registered.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <qthread/hw_pool.h>
#include <qthread/qalloc.h>
#include <qthread/qpool.h>
#include <qthread/qthread.h>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "support/refused_fork_handlers.hpp"

namespace weft::test {
namespace {

class handlers_of_fork : public testing::Test {
 protected:
  void SetUp() override {
    if (!fork_handlers_can_be_refused) GTEST_SKIP() << "they cannot be refused";
  }
  // One more is registered by what succeeds once one was refused, and none by what follows.
  template <class Attempt>
  static void is_tried_again(Attempt attempt) {
    refused_fork_handlers = 1;
    const int before = fork_handlers;
    EXPECT_FALSE(attempt());
    EXPECT_EQ(fork_handlers, before);
    EXPECT_TRUE(attempt());
    const int after = fork_handlers;
    EXPECT_GT(after, before);
    EXPECT_TRUE(attempt());
    EXPECT_EQ(fork_handlers, after);
  }
};

// Each needs handlers of its own. Whether it is there.
bool can_start() {
  const int r = qthread_initialize();
  if (r == QTHREAD_SUCCESS) qthread_finalize();
  EXPECT_TRUE(r == QTHREAD_SUCCESS || r == QTHREAD_MALLOC_ERROR) << r;
  return r == QTHREAD_SUCCESS;
}

bool can_have_a_pool() {
  qpool* const pool = qpool_create(8);
  qpool_destroy(pool);
  return pool != nullptr;
}

bool can_have_memory_in_a_file() {
  const std::string file = testing::TempDir() + "weft_handlers_" + std::to_string(getpid());
  errno = 0;
  void* const map = qalloc_makedynmap(65536, nullptr, file.c_str(), 1);
  EXPECT_EQ(map == nullptr, errno == ENOMEM);
  if (map != nullptr) qalloc_cleanup();
  unlink(file.c_str());
  return map != nullptr;
}

bool can_have_threads_that_run_one_function() {
  const hw_pool_init_status s = hw_pool_init(1);
  if (s == POOL_INIT_SUCCESS) hw_pool_destroy();
  EXPECT_TRUE(s == POOL_INIT_SUCCESS || s == POOL_INIT_OUT_OF_MEMORY);
  return s == POOL_INIT_SUCCESS;
}

TEST_F(handlers_of_fork, of_the_start) { is_tried_again(can_start); }

TEST_F(handlers_of_fork, of_pools) { is_tried_again(can_have_a_pool); }

TEST_F(handlers_of_fork, of_memory_in_files) { is_tried_again(can_have_memory_in_a_file); }

TEST_F(handlers_of_fork, of_threads_that_run_one_function) {
  is_tried_again(can_have_threads_that_run_one_function);
}

std::atomic<bool> forks_now;  // a thread is at its first handlers, or there is a child
bool at_registered;           // it stops behind it

// In a child, which has an end even if it hangs: whether that is so.
bool in_child(bool (*what)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(what() ? 0 : 1);
  }
  forks_now = false;
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

// In a process that has none yet, and in its child while they are being registered. The child's
// child shows that each is called once, though they may be registered again.
template <bool (*Can)()>
[[noreturn]] void have_child_meanwhile(bool registered) {
  at_registered = registered;
  at_fork_handlers = [](bool are_registered) {
    if (are_registered != at_registered) return;
    at_fork_handlers = nullptr;
    forks_now = true;
    while (forks_now) sched_yield();
  };
  std::thread first(Can);
  while (!forks_now) sched_yield();
  const bool ok = in_child([] { return Can() && in_child(Can); });
  first.join();
  _exit(ok && Can() ? 0 : 1);
}

TEST_F(handlers_of_fork, may_be_registered_by_a_thread_while_another_forks) {
  if (emulated) GTEST_SKIP() << "such a child of the emulator starts no threads";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto well = testing::ExitedWithCode(0);
  for (const bool registered : {false, true}) {
    EXPECT_EXIT(have_child_meanwhile<can_start>(registered), well, "");
    EXPECT_EXIT(have_child_meanwhile<can_have_a_pool>(registered), well, "");
    EXPECT_EXIT(have_child_meanwhile<can_have_memory_in_a_file>(registered), well, "");
    EXPECT_EXIT(have_child_meanwhile<can_have_threads_that_run_one_function>(registered), well, "");
  }
}

}  // namespace
}  // namespace weft::test
