// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the Qthreads interface share.
#pragma once

#include <atomic>
#include <gtest/gtest.h>
#include <qthread/qthread.h>
#include <thread>

#include "support/build.hpp"

namespace weft::test {

// The library as the environment says (WEFT_WORKERS: so many shepherds of one worker) around each
// test.
class at_shepherds : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS); }
  void TearDown() override { qthread_finalize(); }
};

// Runs f on a thread that is no task, to its end. The caller lets its worker run tasks meanwhile.
template <class F>
void outside(F&& f) {
  std::atomic<bool> done{false};
  std::thread thread([&] {
    f();
    done = true;
  });
  while (!done) {
    qthread_yield();
    std::this_thread::yield();
  }
  thread.join();
}

inline void* as_argument(aligned_t n) { return reinterpret_cast<void*>(n); }
inline aligned_t as_number(void* arg) { return reinterpret_cast<aligned_t>(arg); }

// Forks f(arg) and reads what it returned.
inline aligned_t value_of(qthread_f f, void* arg = nullptr) {
  aligned_t ret = 0;
  EXPECT_EQ(qthread_fork(f, arg, &ret), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_readFF(nullptr, &ret), QTHREAD_SUCCESS);
  return ret;
}

}  // namespace weft::test
