// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits end by a wake, by a changed word or by the clock, and leave errno alone.
#include "os/futex.hpp"

#include <cerrno>
#include <climits>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "base/atomic.hpp"
#include "os/clock.hpp"

namespace weft::rt::os {
namespace {

constexpr std::int64_t hour_ns = 3'600'000'000'000;

TEST(futex, wait_returns_at_once_when_the_word_differs) {
  atomic<std::uint32_t> word{7};
  futex_wait(word, 8);
  EXPECT_TRUE(futex_wait_for(word, 8, hour_ns));
}

TEST(futex, timed_wait_ends_by_the_clock) {
  atomic<std::uint32_t> word{7};
  while (futex_wait_for(word, 7, 1'000'000)) {  // a signal may end it early
  }
  EXPECT_FALSE(futex_wait_for(word, 7, 0));
  EXPECT_FALSE(futex_wait_for(word, 7, INT64_MIN));
}

TEST(futex, a_wait_until_a_moment_ends_then_and_not_before) {
  atomic<std::uint32_t> word{7};
  EXPECT_TRUE(futex_wait_until(word, 8, INT64_MAX));  // the word differs
  const std::int64_t deadline_ns = monotonic_ns() + 2'000'000;
  while (futex_wait_until(word, 7, deadline_ns)) {  // a signal may end it early
  }
  EXPECT_GE(monotonic_ns(), deadline_ns);
  EXPECT_FALSE(futex_wait_until(word, 7, 1));
  EXPECT_FALSE(futex_wait_until(word, 7, INT64_MIN));
}

// Each side sleeps until the other has moved the word on: a wake that is lost hangs the test.
void take_turns(bool timed) {
  constexpr std::uint32_t rounds = 5000;
  atomic<std::uint32_t> word{0};
  auto play = [&](std::uint32_t mine) {
    for (std::uint32_t turn = mine; turn < 2 * rounds; turn += 2) {
      for (std::uint32_t now = word.load_acquire(); now != turn; now = word.load_acquire()) {
        if (timed) {
          EXPECT_TRUE(futex_wait_for(word, now, hour_ns));
        } else {
          futex_wait(word, now);
        }
      }
      word.store_release(turn + 1);
      futex_wake(word, 1);
    }
  };
  std::thread other(play, 1u);
  play(0);
  other.join();
  EXPECT_EQ(word.load_relaxed(), 2 * rounds);
}

TEST(futex, two_threads_wake_each_other) { take_turns(false); }

TEST(futex, two_threads_wake_each_other_from_timed_waits) { take_turns(true); }

TEST(futex, one_call_wakes_all) {
  atomic<std::uint32_t> gate{0};
  atomic<std::uint32_t> arrived{0};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 7; ++i) {
    sleepers.emplace_back([&] {
      (void)arrived.add_acq_rel(1);
      futex_wake(arrived, 1);
      while (gate.load_acquire() == 0) futex_wait(gate, 0);
    });
  }
  for (std::uint32_t n = arrived.load_acquire(); n != 7; n = arrived.load_acquire()) {
    futex_wait(arrived, n);
  }
  gate.store_release(1);
  futex_wake(gate, INT_MAX);
  for (std::thread& t : sleepers) t.join();
}

TEST(futex, errno_is_preserved) {
  atomic<std::uint32_t> word{7};
  errno = ENOTTY;
  futex_wait(word, 8);
  EXPECT_EQ(errno, ENOTTY);
  (void)futex_wait_for(word, 7, 0);
  EXPECT_EQ(errno, ENOTTY);
  futex_wake(word, 1);
  EXPECT_EQ(errno, ENOTTY);
}

}  // namespace
}  // namespace weft::rt::os
