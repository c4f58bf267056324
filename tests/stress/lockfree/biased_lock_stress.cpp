// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An owner and two visitors of a queue, real threads: nothing is lost, nothing taken twice.
#include <atomic>
#include <deque>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "lockfree/biased_lock.hpp"
#include "threads.hpp"

namespace {

struct BiasedLock : testing::TestWithParam<bool> {
  static constexpr int count = 100'000;
  weft::rt::biased_lock lock{GetParam(), weft::test::pause};
  std::deque<int*> queue;
  std::atomic<bool> filled{false};                   // a hint
  std::vector<int> items = std::vector<int>(count);  // plain: a thread sanitizer checks the lock
  std::atomic<bool> done{false};

  // All three with the lock.
  void push(int* x) {
    queue.push_back(x);
    filled.store(true, std::memory_order_relaxed);
  }
  int* pop() {
    if (queue.empty()) return nullptr;
    int* const x = queue.front();
    queue.pop_front();
    filled.store(!queue.empty(), std::memory_order_relaxed);
    return x;
  }
  bool pop_newest_if(int* x) {
    if (queue.empty() || queue.back() != x) return false;
    queue.pop_back();
    filled.store(!queue.empty(), std::memory_order_relaxed);
    return true;
  }

  void visit() {
    int* some[8];
    while (!done.load(std::memory_order_acquire)) {
      if (!filled.load(std::memory_order_relaxed) ||
          !lock.try_visit(weft::test::process_barrier{})) {
        std::this_thread::yield();
        continue;
      }
      int n = 0;
      while (n < 8 && (some[n] = pop()) != nullptr) ++n;
      lock.end_visit();
      for (int i = 0; i < n; ++i) ++*some[i];
    }
  }
};

TEST_P(BiasedLock, guards_a_queue) {
  WEFT_SKIP_WITHOUT_BARRIER(GetParam());
  std::thread a([this] { visit(); });
  std::thread b([this] { visit(); });
  weft::test::dice dice{3};
  for (int i = 0; i < count; ++i) {
    lock.lock();
    push(&items[i]);
    int* x = dice.roll(2) == 0 ? pop() : nullptr;
    if (x == nullptr && dice.roll(16) == 0 && pop_newest_if(&items[i])) x = &items[i];
    lock.unlock();
    if (x != nullptr) ++*x;
  }
  for (bool more = true; more;) {
    lock.lock();
    int* const x = pop();
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
