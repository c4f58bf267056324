// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An owner and two others, real threads: each round a new lock, so that its bias is revoked at some
// moment; in every second round the owner gets it back soon, and it is revoked again.
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>

#include "lockfree/revocable_lock.hpp"
#include "threads.hpp"

namespace {

using weft::rt::revocable_lock;

struct RevocableLock : testing::TestWithParam<bool> {};

TEST_P(RevocableLock, guards_a_counter) {
  WEFT_SKIP_WITHOUT_BARRIER(GetParam());
  constexpr int rounds = 100;
  constexpr int turns = 500;
  for (int round = 0; round < rounds; ++round) {
    const uint64_t patience = round % 2 == 0 ? 5 : revocable_lock::first_patience;
    revocable_lock lock{GetParam(), weft::test::pause, patience};
    int counter = 0;  // plain: a thread sanitizer checks the lock
    const auto other = [&](int late) {
      for (int i = 0; i < late; ++i) std::this_thread::yield();
      for (int i = 0; i < turns; ++i) {
        lock.lock(weft::test::process_barrier{});
        ++counter;
        lock.unlock();
      }
    };
    std::thread a(other, round % 7);
    std::thread b(other, round % 11);
    for (int i = 0; i < turns; ++i) {
      const revocable_lock::way came = lock.lock_as_owner();
      ++counter;
      lock.unlock_as_owner(came);
    }
    a.join();
    b.join();
    ASSERT_EQ(counter, 3 * turns) << "in round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(modes, RevocableLock, testing::Bool(),
                         [](const auto& p) { return p.param ? "symmetric" : "asymmetric"; });

}  // namespace
