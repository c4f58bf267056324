// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What could not have its handlers of fork() once has them when it is asked for again, and a child
// that is forked while they are being registered.
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <qthread/hw_pool.h>
#include <qthread/qalloc.h>
#include <qthread/qpool.h>
#include <qthread/qthread.h>
#include <string>
#include <unistd.h>

#include "support/forked_meanwhile.hpp"
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

TEST_F(handlers_of_fork, may_be_registered_by_a_thread_while_another_forks) {
  if (emulated) GTEST_SKIP() << "such a child of the emulator starts no threads";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto well = testing::ExitedWithCode(0);
  for (const bool registered : {false, true}) {
    EXPECT_EXIT(have_child_meanwhile<can_start>(1, registered), well, "");
    EXPECT_EXIT(have_child_meanwhile<can_have_a_pool>(1, registered), well, "");
    EXPECT_EXIT(have_child_meanwhile<can_have_memory_in_a_file>(1, registered), well, "");
    EXPECT_EXIT(have_child_meanwhile<can_have_threads_that_run_one_function>(1, registered), well,
                "");
  }
}

}  // namespace
}  // namespace weft::test
