// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating point: control words belong to the worker, unless a task is spawned to keep its own.
// WEFT_TEST_AT_WORKERS
#include <cfenv>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

using hazard_floating_point = at_workers;

double third() {
  volatile double one = 1.0;
  volatile double three = 3.0;
  return one / three;
}

TEST_F(hazard_floating_point, a_task_that_saves_keeps_its_rounding_over_every_wait) {
  const double nearest = third();
  const double upward = [] {
    std::fesetround(FE_UPWARD);
    const double up = third();
    std::fesetround(FE_TONEAREST);
    return up;
  }();
  ASSERT_NE(nearest, upward);
  std::atomic<int> wrong{0};
  auto changes = [&] {
    std::fesetround(FE_UPWARD);
    for (int i = 0; i < 50; ++i) {
      weft_task_yield();
      if (std::fegetround() != FE_UPWARD || third() != upward) ++wrong;
    }
  };
  auto plain = [&] {
    for (int i = 0; i < 50; ++i) {
      if (std::fegetround() != FE_TONEAREST || third() != nearest) ++wrong;
      weft_task_yield();
    }
  };
  std::vector<weft_task_t> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(spawn(changes, with_flags(WEFT_SPAWN_SAVE_FP)));
    all.push_back(spawn(plain));
  }
  for (weft_task_t t : all) join(t);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST_F(hazard_floating_point, the_rounding_goes_along_when_its_task_migrates) {
  auto body = [] {
    std::fesetround(FE_DOWNWARD);
    for (uint32_t i = 0; i < 20; ++i) {
      ASSERT_EQ(weft_task_migrate((weft_worker_index() + 1) % weft_worker_count()), 0);
      EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
    }
  };
  run_apart(body, WEFT_SPAWN_SAVE_FP);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST_F(hazard_floating_point, the_worker_has_its_own_rounding_when_the_task_has_ended) {
  auto changes = [] { std::fesetround(FE_TOWARDZERO); };
  for (int i = 0; i < 100; ++i) {
    const weft_task_t t = spawn(changes, with_flags(WEFT_SPAWN_SAVE_FP));
    if (i % 2 != 0) weft_task_yield();
    join(t);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    auto looks = [] { EXPECT_EQ(std::fegetround(), FE_TONEAREST); };
    std::vector<weft_task_t> all;
    for (uint32_t w = 0; w < weft_worker_count(); ++w) all.push_back(spawn(looks, on_worker(w)));
    for (weft_task_t l : all) join(l);
  }
}

TEST_F(hazard_floating_point, a_joiner_that_saves_has_its_rounding_after_an_inline_child) {
  auto parent = [] {
    std::fesetround(FE_UPWARD);
    auto yields = [] { weft_task_yield(); };
    for (int i = 0; i < 20; ++i) {
      join(spawn(yields));
      EXPECT_EQ(std::fegetround(), FE_UPWARD);
    }
    auto saves = [] {
      std::fesetround(FE_DOWNWARD);
      weft_task_yield();
      EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
    };
    for (int i = 0; i < 20; ++i) {
      join(spawn(saves, with_flags(WEFT_SPAWN_SAVE_FP)));
      EXPECT_EQ(std::fegetround(), FE_UPWARD);
    }
  };
  run_apart(parent, WEFT_SPAWN_SAVE_FP);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

}  // namespace
}  // namespace weft::test
