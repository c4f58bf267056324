// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a parked stack costs, page tables included, and that it does not depend on the stack's past.
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "mem/stack.hpp"
#include "support.hpp"
#include "support/huge_pages.hpp"

namespace weft::rt {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr double budget_bytes = 4600;  // of a parked stack at the default sizes

class stack_footprint : public testing::Test {
 protected:
  void SetUp() override {
    if (test::sanitized) GTEST_SKIP() << "a sanitizer's shadow memory would be counted too";
    if (os::page_bytes() != 4 * kib) GTEST_SKIP() << "the budget is one page of 4 KiB";
    if (test::proc_bytes("/proc/self/status", "VmPTE") == 0) GTEST_SKIP() << "no VmPTE here";
    ASSERT_EQ(pool_.start({}), 0);
    cache_.attach(pool_);
    const bool guarded = cache_.get()->guard == guard_kind::madvise;
    cache_.detach();
    pool_.stop();
    if (!guarded)
      GTEST_SKIP() << "without MADV_GUARD_INSTALL most stacks have canaries: a page more";
    all_.resize(count_);
  }

  void start(const stack_options& options) {
    ASSERT_EQ(pool_.start(options), 0);
    cache_.attach(pool_);
    before_ = test::memory_in_use();
  }
  void get_all() {
    for (stack*& s : all_) {
      s = cache_.get();
      ASSERT_NE(s, nullptr);
    }
  }
  void run_all(std::size_t deep) {
    for (stack* s : all_) {
      test::run_on(*s, [](void* n) { test::dirty_below(*static_cast<std::size_t*>(n)); }, &deep);
    }
  }
  void park_all() {
    for (stack* s : all_) note_park(*s, s->high - 1024);
  }
  void put_all() {
    for (stack* s : all_) cache_.put(s);
  }
  double bytes_each() const {
    const std::uint64_t now = test::memory_in_use();
    return static_cast<double>(now > before_ ? now - before_ : 0) / static_cast<double>(count_);
  }

  std::size_t count_ = 20'000;  // the warm-up makes 40 KiB each resident, all at once
  std::vector<stack*> all_;
  stack_pool pool_;
  stack_cache cache_;
  std::uint64_t before_ = 0;
};

TEST_F(stack_footprint, parked_shallow) {
  start({});
  get_all();
  run_all(1 * kib);
  park_all();
  EXPECT_LE(bytes_each(), budget_bytes);
  EXPECT_GT(bytes_each(), 4096) << "nothing was measured";
}

TEST_F(stack_footprint, parked_shallow_with_transparent_huge_pages) {
  const weft::test::huge_pages_always huge;
  if (!huge.set()) GTEST_SKIP() << "transparent huge pages cannot be set to always here";
  count_ = 2000;
  all_.resize(count_);
  start({});
  get_all();
  EXPECT_LE(bytes_each(), budget_bytes);  // before the trim of the first park
  run_all(1 * kib);
  park_all();
  EXPECT_LE(bytes_each(), budget_bytes);
}

TEST_F(stack_footprint, parked_shallow_after_a_deep_past) {
  start({});
  get_all();
  run_all(32 * kib);
  EXPECT_GT(bytes_each(), 32 * kib) << "the warm-up did not happen";
  put_all();
  get_all();
  run_all(1 * kib);
  park_all();
  EXPECT_LE(bytes_each(), budget_bytes);
}

TEST_F(stack_footprint, unused_after_a_deep_past) {
  start({});
  get_all();
  run_all(32 * kib);
  put_all();
  EXPECT_EQ(pool_.live(), 0U);
  EXPECT_LE(bytes_each(), budget_bytes);
}

TEST_F(stack_footprint, large_stacks_share_page_tables) {
  stack_options large;
  large.promised_bytes = 8 * 1024 * kib;
  count_ = 2000;
  all_.resize(count_);
  start(large);
  get_all();
  run_all(1 * kib);
  // One page and one page table each: the guard of the next stack is in the same table.
  EXPECT_LE(bytes_each(), 2.2 * 4 * kib);
}

TEST_F(stack_footprint, stopping_gives_everything_back) {
  start({});
  get_all();
  put_all();
  cache_.detach();
  pool_.stop();
  EXPECT_LE(bytes_each(), 64);
}

}  // namespace
}  // namespace weft::rt
