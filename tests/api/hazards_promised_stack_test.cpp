// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Promised stack: every task starts with all its bytes, however deep inline; memory forgets
// history. WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <cstdio>
#include <cstring>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

constexpr std::size_t kib = 1024;

// Frames between the point where the runtime promises and the first line of a task's function.
constexpr std::size_t entry_bytes = sanitized ? 4 * kib : 1 * kib;

// Uses that much stack at once.
__attribute__((noinline)) unsigned char touch_stack(std::size_t bytes) {
  auto* p = static_cast<volatile unsigned char*>(__builtin_alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += 512) p[i] = 1;
  return p[0];
}

// One level of a chain: spawns one child and joins it; checks the promise at its start.
struct link {
  int depth = 0;
  std::size_t promised = 0;
  std::size_t ballast = 0;  // of its own frame, in use while the child runs
  std::size_t least_left = SIZE_MAX;

  static void* run(void* arg) {
    auto* l = static_cast<link*>(arg);
    const std::size_t left = weft_task_stack_left();
    if (left < l->least_left) l->least_left = left;
    if (l->depth == 0) return nullptr;
    auto* held = static_cast<volatile unsigned char*>(__builtin_alloca(l->ballast + 1));
    held[0] = 1;
    --l->depth;
    weft_task_t child = nullptr;
    EXPECT_EQ(weft_task_spawn(run, l, &child), 0);
    EXPECT_EQ(weft_task_join(child, nullptr), 0);
    EXPECT_EQ(held[0], 1);
    return nullptr;
  }
};

class hazard_promised_stack : public testing::TestWithParam<std::size_t> {};

TEST_P(hazard_promised_stack, every_task_starts_with_what_was_promised) {
  const std::size_t promised = GetParam();
  for (const std::size_t ballast : {std::size_t{0}, std::size_t{100}, std::size_t{3000}}) {
    const runtime weft(1, promised);
    link chain{scaled_alive(3000), promised, ballast, SIZE_MAX};
    weft_task_t top = nullptr;
    ASSERT_EQ(weft_task_spawn(link::run, &chain, &top), 0);
    join(top);
    EXPECT_EQ(chain.depth, 0);
    EXPECT_GE(chain.least_left + entry_bytes, promised);
  }
}

INSTANTIATE_TEST_SUITE_P(each, hazard_promised_stack,
                         testing::Values(16 * kib, 64 * kib, 256 * kib, 1024 * kib),
                         [](const testing::TestParamInfo<std::size_t>& i) {
                           return std::to_string(i.param / kib) + "_kib";
                         });

class hazard_promised_stack_chain : public testing::TestWithParam<uint32_t> {};

TEST_P(hazard_promised_stack_chain, one_million_deep_does_not_overflow) {
  const runtime weft(GetParam());
  link chain{scaled_alive(1'000'000), 0, 0, SIZE_MAX};
  weft_task_t top = nullptr;
  ASSERT_EQ(weft_task_spawn(link::run, &chain, &top), 0);
  join(top);
  EXPECT_EQ(chain.depth, 0);
}

TEST_P(hazard_promised_stack_chain, each_task_may_use_30_kib_at_any_inline_depth) {
  const runtime weft(GetParam());
  struct deep {
    int depth;
    static void* run(void* arg) {
      const int depth = static_cast<deep*>(arg)->depth;
      EXPECT_EQ(touch_stack(30 * kib), 1);
      if (depth == 0) return nullptr;
      deep below{depth - 1};
      weft_task_t child = nullptr;
      EXPECT_EQ(weft_task_spawn(run, &below, &child), 0);
      EXPECT_EQ(weft_task_join(child, nullptr), 0);
      EXPECT_EQ(touch_stack(30 * kib), 1);
      return nullptr;
    }
  };
  deep top{scaled_alive(20'000)};
  weft_task_t t = nullptr;
  ASSERT_EQ(weft_task_spawn(deep::run, &top, &t), 0);
  join(t);
}

INSTANTIATE_TEST_SUITE_P(workers, hazard_promised_stack_chain, testing::Values(1u, 2u, 7u));

TEST(hazard_promised_stack_of_main, a_join_on_a_nearly_full_stack_runs_the_child_elsewhere) {
  // The parent uses all but 20 KiB of its promise and joins: the child still has all of its own.
  const std::size_t promised = 64 * kib;
  const runtime weft(1, promised);
  std::size_t child_left = 0;
  auto parent = [&] {
    const std::size_t left = weft_task_stack_left();
    ASSERT_GT(left, 20 * kib);
    auto* held = static_cast<volatile unsigned char*>(__builtin_alloca(left - 20 * kib));
    held[0] = 1;
    auto child = [&] {
      child_left = weft_task_stack_left();
      touch_stack(40 * kib);
    };
    join(spawn(child));
    EXPECT_EQ(held[0], 1);
  };
  run_apart(parent);
  EXPECT_GE(child_left + entry_bytes, promised);
}

// --- memory does not depend on history ----------------------------------------------------------

// Resident pages and page tables of this process, in bytes.
std::size_t memory_in_use() {
  std::FILE* f = std::fopen("/proc/self/status", "r");
  if (f == nullptr) return 0;
  char line[256];
  std::size_t sum = 0;
  while (std::fgets(line, sizeof line, f) != nullptr) {
    unsigned long long n = 0;
    if (std::sscanf(line, "VmRSS: %llu kB", &n) == 1 ||
        std::sscanf(line, "VmPTE: %llu kB", &n) == 1)
      sum += static_cast<std::size_t>(n) * kib;
  }
  std::fclose(f);
  return sum;
}

constexpr int blocked_tasks = 20'000;

// Bytes that each of many blocked tasks costs, after a warm-up that dirtied stacks or without.
std::size_t bytes_per_blocked_task(bool warm_up) {
  const runtime weft(1, 64 * kib);
  auto deep = [] {
    touch_stack(32 * kib);
    weft_task_yield();
    touch_stack(32 * kib);
  };
  if (warm_up) {
    std::vector<weft_task_t> tasks;
    for (int i = 0; i < 1000; ++i) tasks.push_back(spawn(deep));
    for (weft_task_t t : tasks) join(t);
  }
  std::vector<weft_task_t> tasks(blocked_tasks);
  int blocked = 0;
  auto blocks = [&] {
    // Its stack may be one on which tasks that were only called have been far down.
    ++blocked;
    weft_task_suspend();
    --blocked;
  };
  auto called_first = [&] {
    auto dirties = [] { touch_stack(32 * kib); };
    if (warm_up) join(spawn(dirties));
    blocks();
  };
  const std::size_t before = memory_in_use();
  for (auto& t : tasks) t = spawn(called_first);
  EXPECT_TRUE(yield_until([&] { return blocked == blocked_tasks; }));
  const std::size_t used = memory_in_use() - before;
  for (weft_task_t t : tasks) EXPECT_EQ(weft_task_resume(t), 0);
  for (weft_task_t t : tasks) join(t);
  EXPECT_EQ(blocked, 0);
  return used / blocked_tasks;
}

TEST(hazard_memory_depends_on_history, not_where_stacks_were_dirtied_before_tasks_block_on_them) {
  if (sanitized || emulated) GTEST_SKIP() << "the memory is the sanitizer's or the emulator's";
  const std::size_t fresh = bytes_per_blocked_task(false);
  const std::size_t used = bytes_per_blocked_task(true);
  RecordProperty("fresh", static_cast<int>(fresh));
  RecordProperty("used", static_cast<int>(used));
  EXPECT_LT(fresh, 6 * kib);
  EXPECT_LT(used, 8 * kib);
}

}  // namespace
}  // namespace weft::test
