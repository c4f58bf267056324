// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What could not have its handlers of fork() once has them when it is asked for again.
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <qthread/hw_pool.h>
#include <qthread/qalloc.h>
#include <qthread/qpool.h>
#include <qthread/qthread.h>
#include <string>
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

TEST_F(handlers_of_fork, of_the_start) {
  is_tried_again([] {
    const int r = qthread_initialize();
    if (r == QTHREAD_SUCCESS) qthread_finalize();
    EXPECT_TRUE(r == QTHREAD_SUCCESS || r == QTHREAD_MALLOC_ERROR) << r;
    return r == QTHREAD_SUCCESS;
  });
}

TEST_F(handlers_of_fork, of_pools) {
  is_tried_again([] {
    qpool* const pool = qpool_create(8);
    qpool_destroy(pool);
    return pool != nullptr;
  });
}

TEST_F(handlers_of_fork, of_memory_in_files) {
  const std::string file = testing::TempDir() + "weft_handlers_" + std::to_string(getpid());
  is_tried_again([&] {
    errno = 0;
    void* const map = qalloc_makedynmap(65536, nullptr, file.c_str(), 1);
    EXPECT_EQ(map == nullptr, errno == ENOMEM);
    if (map != nullptr) qalloc_cleanup();
    return map != nullptr;
  });
  unlink(file.c_str());
}

TEST_F(handlers_of_fork, of_threads_that_run_one_function) {
  is_tried_again([] {
    const hw_pool_init_status s = hw_pool_init(1);
    if (s == POOL_INIT_SUCCESS) hw_pool_destroy();
    EXPECT_TRUE(s == POOL_INIT_SUCCESS || s == POOL_INIT_OUT_OF_MEMORY);
    return s == POOL_INIT_SUCCESS;
  });
}

}  // namespace
}  // namespace weft::test
