// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An owner and two visitors of a ready_ring, real threads: nothing is lost, nothing taken twice.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "lockfree/biased_lock.hpp"
#include "lockfree/ready_ring.hpp"
#include "threads.hpp"

namespace {

struct BiasedLock : testing::TestWithParam<bool> {
  static constexpr int count = 100'000;
  weft::rt::biased_lock lock{GetParam(), weft::test::pause};
  weft::rt::ready_ring<int*> ring{weft::test::memory, 4};
  std::vector<int> items = std::vector<int>(count);  // plain: a thread sanitizer checks the lock
  std::atomic<bool> done{false};

  void visit() {
    int* some[8];
    while (!done.load(std::memory_order_acquire)) {
      if (ring.size_hint() == 0 || !lock.try_visit(weft::test::process_barrier{})) {
        std::this_thread::yield();
        continue;
      }
      const std::size_t n = ring.take_half(some, 8);
      lock.end_visit();
      for (std::size_t i = 0; i < n; ++i) ++*some[i];
    }
  }
};

TEST_P(BiasedLock, guards_a_ring) {
  WEFT_SKIP_WITHOUT_BARRIER(GetParam());
  std::thread a([this] { visit(); });
  std::thread b([this] { visit(); });
  weft::test::dice dice{3};
  for (int i = 0; i < count; ++i) {
    lock.lock();
    EXPECT_TRUE(ring.push(&items[i]));
    int* x = dice.roll(2) == 0 ? ring.pop() : nullptr;
    if (x == nullptr && dice.roll(16) == 0 && ring.remove(&items[i])) x = &items[i];
    lock.unlock();
    if (x != nullptr) ++*x;
  }
  for (bool more = true; more;) {
    lock.lock();
    int* const x = ring.pop();
    lock.unlock();
    more = x != nullptr;
    if (more) ++*x;
  }
  done.store(true, std::memory_order_release);
  a.join();
  b.join();
  for (const int taken : items) ASSERT_EQ(taken, 1);
}

INSTANTIATE_TEST_SUITE_P(modes, BiasedLock, testing::Bool(),
                         [](const auto& p) { return p.param ? "symmetric" : "asymmetric"; });

}  // namespace
