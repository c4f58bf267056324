// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that sleep in the kernel, work in small lots: this ends only if no wake is lost.
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "lockfree/idle_census.hpp"
#include "lockfree/wake_word.hpp"
#include "os/futex.hpp"
#include "threads.hpp"

namespace {

using weft::rt::wake_reason;
using weft::rt::wake_result;

struct worker {
  weft::rt::wake_word word;
  weft::rt::atomic<int> mail{0};
};

// The protocol of src/lockfree/README.md, "Idle", with counters for queues.
struct Idle : testing::TestWithParam<bool> {
  static constexpr int worker_count = 3;

  weft::rt::idle_census census{GetParam()};
  worker workers[worker_count];
  weft::rt::atomic<int> shared{0};
  std::atomic<int> taken{0};
  std::atomic<bool> stop{false};

  void kernel_wake(worker& w, wake_result r) {
    if (r == wake_result::must_wake) weft::rt::os::futex_wake(w.word.futex(), 1);
  }
  void put() {
    shared.add_acq_rel(1);
    weft::rt::fence_light();
    if (census.quiet()) return;
    if (GetParam()) {
      weft::rt::fence_seq_cst();
      if (census.quiet_after_fence()) return;
    }
    wake_one();
  }
  void send(worker& w) {
    w.mail.add_acq_rel(1);
    kernel_wake(w, w.word.call());
  }
  void wake_one() {
    if (!census.claim_wake()) return;
    do {
      for (worker& w : workers) {
        const wake_result r = w.word.hand_search();
        kernel_wake(w, r);
        if (r != wake_result::not_idle) return;
      }
    } while (census.claim_missed());
  }
  bool take(weft::rt::atomic<int>& from) {
    int n = from.load_acquire();
    while (n > 0)
      if (from.cas_acq_rel(n, n - 1)) return true;
    return false;
  }
  void idle(worker& w) {
    w.word.watch();
    census.searcher_gives_up();
    if (GetParam()) {
      weft::rt::fence_seq_cst();
    } else {
      weft::rt::os::membarrier();
    }
    const bool again = shared.load_relaxed() > 0 || w.mail.load_relaxed() > 0 || stop.load();
    if (!again && w.word.fall_asleep())
      while (!w.word.is_notified())
        weft::rt::os::futex_wait(w.word.futex(), weft::rt::wake_word::asleep_value);
    if (w.word.rise() != wake_reason::handed) census.idle_leaves(true);
  }
  void work(worker& w) {
    census.becomes_searcher();
    while (!stop.load()) {
      if (take(w.mail) || take(shared)) {
        if (census.searcher_found() && shared.load_relaxed() > 0) wake_one();
        taken.fetch_add(1);
        census.becomes_searcher();
      } else {
        idle(w);
      }
    }
    (void)census.searcher_found();
  }
};

TEST_P(Idle, all_work_is_done_although_workers_sleep) {
  WEFT_SKIP_WITHOUT_BARRIER(GetParam());
  constexpr int lots = 4'000;
  std::vector<std::thread> threads;
  for (worker& w : workers) threads.emplace_back([this, &w] { work(w); });
  std::atomic<int> given{0};
  // Two givers; each waits for its lots to be taken, which is when the workers fall asleep.
  const auto give = [&](std::uint64_t seed) {
    weft::test::dice dice{seed};
    for (int lot = 0; lot < lots; ++lot) {
      const unsigned n = 1 + dice.roll(3);
      given.fetch_add(static_cast<int>(n));
      for (unsigned i = 0; i < n; ++i) {
        if (dice.roll(3) == 0) {
          send(workers[dice.roll(worker_count)]);
        } else {
          put();
        }
      }
      for (unsigned spun = 0; taken.load() + 2 < given.load(); ++spun) weft::test::pause(spun);
    }
  };
  std::thread other(give, 7);
  give(11);
  other.join();
  while (taken.load() < given.load()) std::this_thread::yield();
  stop.store(true);
  for (worker& w : workers) kernel_wake(w, w.word.call());
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(taken.load(), given.load());
  EXPECT_EQ(census.idle_hint(), 0);
  EXPECT_EQ(census.searching_hint(), 0);
}

INSTANTIATE_TEST_SUITE_P(modes, Idle, testing::Bool(),
                         [](const auto& p) { return p.param ? "symmetric" : "asymmetric"; });

}  // namespace
