// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registering works twice and for the child of a fork; the barrier orders a pair without a fence.
#include "os/membarrier.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/atomic.hpp"

namespace weft::rt::os {
namespace {

class membarrier_test : public testing::Test {
 protected:
  void SetUp() override {
    if (!membarrier_register()) GTEST_SKIP() << "this system has no membarrier, or forbids it";
  }
};

TEST_F(membarrier_test, registering_twice_is_allowed) { EXPECT_TRUE(membarrier_register()); }

TEST_F(membarrier_test, errno_is_preserved) {
  errno = ENOTTY;
  (void)membarrier_register();
  membarrier();
  EXPECT_EQ(errno, ENOTTY);
}

TEST_F(membarrier_test, the_child_of_a_fork_need_not_register) {
  const bool restarts = restart_register();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    membarrier();  // aborts when refused
    if (restarts) restart_others();
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// Dekker: of two threads that each store to one word and then read the other's, one sees the other,
// though one of the two has only a compiler barrier between its store and its load.
TEST_F(membarrier_test, the_cheap_side_needs_no_fence) {
  constexpr unsigned rounds = 20000;
  struct alignas(64) word {
    atomic<unsigned> value{0};
  };
  word cheap_store, dear_store, start, done;
  unsigned cheap_saw = 0;
  std::thread cheap([&] {
    for (unsigned round = 1; round <= rounds; ++round) {
      while (start.value.load_acquire() != round) std::this_thread::yield();
      cheap_store.value.store_relaxed(round);
      fence_light();
      cheap_saw = dear_store.value.load_relaxed();
      done.value.store_release(round);
    }
  });
  unsigned missed = 0;
  for (unsigned round = 1; round <= rounds; ++round) {
    start.value.store_release(round);
    dear_store.value.store_relaxed(round);
    membarrier();
    const unsigned dear_saw = cheap_store.value.load_relaxed();
    while (done.value.load_acquire() != round) std::this_thread::yield();
    if (cheap_saw != round && dear_saw != round) ++missed;
  }
  cheap.join();
  EXPECT_EQ(missed, 0u);
}

}  // namespace
}  // namespace weft::rt::os
