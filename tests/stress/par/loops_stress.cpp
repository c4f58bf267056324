// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of all schedules in each other, whose bodies park, spawn and cancel, while helpers come and
// go: each iteration runs once, or is counted as left out. WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include <weft/weft.h>

#include "support/build.hpp"

namespace {

constexpr int rounds = weft::test::tsan ? 100 : weft::test::asan ? 100 : 400;

// The same sequence for the same seed.
uint64_t mix(uint64_t seed) {
  seed += 0x9e3779b97f4a7c15u;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
  return seed ^ (seed >> 31);
}

void* nothing(void* arg) {
  (void)weft_task_yield();
  return arg;
}

struct nest {
  uint64_t seed;
  int depth;
  uint32_t cancel = 0;
  uint64_t cancel_at = UINT64_MAX;
  uint64_t count = 0;
  std::unique_ptr<std::atomic<uint8_t>[]> ran{};
};

void run_loop(uint64_t seed, int depth);

void body(uint64_t begin, uint64_t end, void* arg) {
  nest& n = *static_cast<nest*>(arg);
  for (uint64_t i = begin; i < end; ++i) {
    n.ran[i].fetch_add(1, std::memory_order_relaxed);
    const uint64_t chance = mix(n.seed + i);
    if (i == n.cancel_at) (void)weft_loop_cancel(&n.cancel);
    if (n.depth > 0 && chance % 8 == 0) run_loop(chance, n.depth - 1);
    if (chance % 16 == 1) (void)weft_task_yield();
    if (chance % 16 == 2) {
      weft_task_t child = nullptr;
      ASSERT_EQ(weft_task_spawn(nothing, nullptr, &child), 0);
      if (chance % 32 == 2) (void)weft_task_yield();
      ASSERT_EQ(weft_task_join(child, nullptr), 0);
    }
    if (chance % 16 == 3)
      for (uint64_t spin = 0; spin < chance % 3000; ++spin) asm volatile("" : "+r"(spin));
  }
}

void run_loop(uint64_t seed, int depth) {
  nest n{seed, depth};
  n.count = 1 + mix(seed) % 60;
  n.ran = std::make_unique<std::atomic<uint8_t>[]>(n.count);
  weft_loop_t how = WEFT_LOOP_INIT;
  how.schedule = static_cast<uint32_t>(mix(seed + 1) % (WEFT_LOOP_EACH + 1));
  how.block = mix(seed + 2) % 4;
  how.members = static_cast<uint32_t>(mix(seed + 3) % 4);
  how.key = reinterpret_cast<const void*>(seed % 5 + 1);  // what is remembered is often wrong
  const bool cancels = mix(seed + 4) % 4 == 0;
  if (cancels) {
    how.cancel = &n.cancel;
    n.cancel_at = mix(seed + 5) % n.count;
  }
  const int result = weft_loop_run_unsigned(0, n.count, 1, body, &n, &how);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n.count; ++i) {
    const int times = n.ran[i].load(std::memory_order_relaxed);
    ASSERT_LE(times, 1) << seed;
    sum += static_cast<uint64_t>(times);
  }
  ASSERT_EQ(result, sum == n.count ? 0 : -ECANCELED) << seed;
  ASSERT_TRUE(cancels || sum == n.count) << seed;
}

TEST(loops, of_all_kinds_in_each_other_run_each_iteration_once) {
  ASSERT_EQ(weft_start(nullptr), 0);
  for (int round = 0; round < rounds; ++round) {
    run_loop(mix(static_cast<uint64_t>(round)), 2);
    if (HasFatalFailure()) break;
  }
  EXPECT_EQ(weft_stop(), 0);
}

}  // namespace
