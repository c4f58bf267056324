// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of stacks and descriptors is touched first by the worker that uses it, so that it lies in
// that worker's memory: not by the thread that starts the workers, nor by one that spawns to them.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "mem/magazine.hpp"
#include "mem/stack.hpp"
#include "os/memory.hpp"
#include "sched/scheduler.hpp"
#include "support/build.hpp"

namespace weft::rt {
namespace {

constexpr std::size_t workers = 4;

std::size_t page_count(std::size_t bytes) { return bytes / os::page_bytes(); }

std::size_t resident(const void* p, std::size_t bytes) {
  std::vector<unsigned char> pages(page_count(bytes));
  return os::resident_pages(p, bytes, pages.data());
}

bool header_is_resident(const stack& s) {
  const auto at = reinterpret_cast<std::uintptr_t>(&s);
  return resident(reinterpret_cast<void*>(at - at % os::page_bytes()), os::page_bytes()) == 1;
}

class first_touch : public testing::Test {
 protected:
  void SetUp() override {
    if (test::sanitized) GTEST_SKIP() << "a sanitizer touches what is mapped";
    if (test::emulated) GTEST_SKIP() << "mincore is the emulator's";
  }
};

TEST_F(first_touch, who_starts_others_reserves_their_stacks_and_touches_none) {
  stack_options options;
  options.cached = 4;
  constexpr std::size_t reserved_for_each = 2;  // half of what a cache keeps
  stack_pool pool;
  ASSERT_EQ(pool.start(options), 0);
  std::vector<std::unique_ptr<stack_cache>> caches;
  for (std::size_t i = 0; i < workers; ++i) {
    caches.push_back(std::make_unique<stack_cache>());
    caches.back()->attach(pool);
    ASSERT_TRUE(caches.back()->reserve());
  }
  EXPECT_EQ(pool.made(), 0u);
  // A stack that this thread makes lies behind all that are reserved.
  stack_cache own;
  own.attach(pool);
  stack* const behind = own.get();
  ASSERT_NE(behind, nullptr);
  const std::size_t page = os::page_bytes();
  const std::size_t guard = pool.options().guard_bytes;
  const std::size_t slot =
      (static_cast<std::size_t>(behind->high - behind->low) + guard + page - 1) / page * page;
  const std::size_t reserved = workers * reserved_for_each * slot;
  EXPECT_EQ(resident(behind->low - guard - reserved, reserved), 0u);

  std::vector<stack*> got(workers);
  for (std::size_t i = 0; i < workers; ++i) {
    std::thread worker([&] {
      const std::uint64_t before = pool.made();
      got[i] = caches[i]->get();
      EXPECT_GT(pool.made(), before) << "this thread makes its stacks";
    });
    worker.join();
    ASSERT_NE(got[i], nullptr);
    EXPECT_TRUE(header_is_resident(*got[i]));
  }
  for (std::size_t i = 0; i < workers; ++i) {
    caches[i]->put(got[i]);
    caches[i]->detach();
  }
  own.put(behind);
  own.detach();
  EXPECT_EQ(pool.live(), 0u);
  EXPECT_EQ(pool.made(), (workers + 1) * reserved_for_each);
}

TEST_F(first_touch, a_thread_that_never_began_leaves_nothing_behind) {
  stack_pool pool;
  ASSERT_EQ(pool.start({}), 0);
  stack_cache never;
  never.attach(pool);
  ASSERT_TRUE(never.reserve());
  ASSERT_TRUE(never.reserve()) << "once is enough";
  never.detach();
  EXPECT_EQ(pool.live(), 0u);
  const std::uint64_t made = pool.made();
  for (int i = 0; i < 10; ++i) {  // a worker that is removed and added again takes what it left
    stack_cache again;
    again.attach(pool);
    ASSERT_TRUE(again.reserve());
    again.put(again.get());
    again.detach();
  }
  EXPECT_EQ(pool.made(), made);
}

TEST_F(first_touch, descriptors_are_made_by_the_worker_that_takes_them) {
  object_pool<task> pool;
  object_cache<task> caches[workers];
  for (auto& c : caches) c.attach(pool);
  EXPECT_EQ(pool.bytes(), 0u) << "nothing is mapped for who has not asked";
  std::vector<task*> got(workers);
  for (std::size_t i = 0; i < workers; ++i) std::thread([&] { got[i] = caches[i].get(); }).join();
  std::sort(got.begin(), got.end());
  for (std::size_t i = 1; i < workers; ++i) {
    EXPECT_GE(
        reinterpret_cast<std::uintptr_t>(got[i]) - reinterpret_cast<std::uintptr_t>(got[i - 1]),
        os::page_bytes())
        << "each worker makes a row of its own";
  }
  for (auto& c : caches) c.detach();
}

// The same in a running runtime: the stacks that a worker's first tasks wait on are those that were
// reserved for it.
TEST_F(first_touch, workers_of_a_runtime_make_what_they_use) {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 2;
  config.main_mode = WEFT_MAIN_GUEST;
  ASSERT_EQ(weft_start(&config), 0);
  constexpr std::size_t tasks = 8;
  struct place {
    weft_semaphore_t* go;
    const stack* on;
  };
  weft_semaphore_t go;
  weft_semaphore_init(&go, 0);
  const auto wait = +[](void* arg) -> void* {
    auto* p = static_cast<place*>(arg);
    EXPECT_EQ(weft_semaphore_wait(p->go), 0);
    p->on = the().stacks.find(__builtin_frame_address(0));
    return nullptr;
  };
  place places[2][tasks];
  std::vector<weft_task_t> all;
  for (uint32_t w = 0; w < 2; ++w) {
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.worker = w;
    for (place& p : places[w]) {
      p = {&go, nullptr};
      all.emplace_back();
      ASSERT_EQ(weft_task_spawn_with(wait, &p, &how, &all.back()), 0);
    }
  }
  ASSERT_EQ(weft_semaphore_post(&go, 2 * tasks), 0);
  for (const weft_task_t t : all) EXPECT_EQ(weft_task_join(t, nullptr), 0);
  const stack* first[2];
  const stack* last[2];
  for (uint32_t w = 0; w < 2; ++w) {
    std::vector<const stack*> on;
    for (const place& p : places[w])
      if (p.on != nullptr) on.push_back(p.on);  // else it was called on the thread's own stack
    ASSERT_FALSE(on.empty());
    first[w] = *std::min_element(on.begin(), on.end());
    last[w] = *std::max_element(on.begin(), on.end());
  }
  EXPECT_TRUE(last[0] < first[1] || last[1] < first[0]);
  EXPECT_EQ(weft_stop(), 0);
}

}  // namespace
}  // namespace weft::rt
