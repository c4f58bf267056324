// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about pools of descriptors and the magazines over them.
#include "mem/magazine.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

#include "base/atomic.hpp"
#include "support.hpp"

namespace weft::rt {
namespace {

struct descriptor {
  std::uint64_t generation = 7;
  void* owner = nullptr;
  char rest[48] = {};
};

TEST(object_cache, object_keeps_its_state_while_nobody_uses_it) {
  object_pool<descriptor> pool;
  object_cache<descriptor> cache;
  cache.attach(pool);
  descriptor* d = cache.get();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->generation, 7U) << "constructed once";
  d->generation = 8;
  cache.put(d);
  EXPECT_EQ(cache.get(), d) << "the hottest first";
  EXPECT_EQ(d->generation, 8U) << "and never again";
}

TEST(object_cache, objects_are_whole_lines) {
  object_pool<descriptor> pool;
  object_cache<descriptor> cache;
  cache.attach(pool);
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(cache.get()) % line_bytes, 0U);
  }
}

TEST(object_cache, every_object_is_in_one_place) {
  object_pool<descriptor> pool;
  object_cache<descriptor, 16> cache;
  cache.attach(pool);
  for (int round = 0; round < 3; ++round) {
    std::vector<descriptor*> all;
    for (int i = 0; i < 20'000; ++i) all.push_back(cache.get());
    EXPECT_EQ(std::set<descriptor*>(all.begin(), all.end()).size(), all.size());
    std::reverse(all.begin() + 10'000, all.end());
    for (descriptor* d : all) cache.put(d);
  }
  EXPECT_LE(pool.made(), 20'008U) << "those that were put back are used first";
}

TEST(object_cache, fresh_objects_come_in_the_order_of_their_addresses) {
  object_pool<descriptor> pool;
  object_cache<descriptor, 64> cache;
  cache.attach(pool);
  descriptor* before = cache.get();
  for (int i = 1; i < 500; ++i) {
    descriptor* d = cache.get();
    EXPECT_EQ(d, before + 1);
    before = d;
  }
}

TEST(object_cache, costs_its_size_and_a_place_in_the_depot) {
  object_pool<descriptor> pool;
  object_cache<descriptor> cache;
  cache.attach(pool);
  constexpr std::uint64_t count = 1'000'000;
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_NE(cache.get(), nullptr);
  EXPECT_EQ(pool.made() - cache.size(), count);
  // A slab of 4 MiB may just have begun.
  EXPECT_LE(pool.bytes(), count * (sizeof(descriptor) + sizeof(void*)) + 4 * 1024 * 1024 + 4096);
}

TEST(object_cache, objects_in_use_cost_no_more_than_their_size) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer's shadow memory would be counted too";
  object_pool<descriptor> pool;
  object_cache<descriptor> cache;
  cache.attach(pool);
  const std::uint64_t before = test::memory_in_use();
  constexpr std::uint64_t count = 1'000'000;
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_NE(cache.get(), nullptr);
  const std::uint64_t each = (test::memory_in_use() - before) / count;
  EXPECT_LE(each, sizeof(descriptor) + 2);
  EXPECT_GE(each, sizeof(descriptor) - 2);
}

TEST(object_cache, imbalance_does_not_grow_without_bound) {
  object_pool<descriptor> pool;
  object_cache<descriptor> spawner;
  object_cache<descriptor> finisher;
  spawner.attach(pool);
  finisher.attach(pool);
  for (int i = 0; i < 1'000'000; ++i) finisher.put(spawner.get());
  EXPECT_LE(pool.made(), 3U * 256U);
}

TEST(object_cache, imbalance_between_threads_does_not_grow_without_bound) {
  object_pool<descriptor> pool;
  constexpr std::uint32_t ring = 64;
  atomic<descriptor*> slots[ring];
  constexpr int count = 100'000;
  std::thread finisher([&] {
    object_cache<descriptor> cache;
    cache.attach(pool);
    for (int i = 0; i < count; ++i) {
      descriptor* d = nullptr;
      while ((d = slots[i % ring].exchange_acq_rel(nullptr)) == nullptr) std::this_thread::yield();
      EXPECT_EQ(d->owner, &pool);
      d->owner = nullptr;
      cache.put(d);
    }
  });
  object_cache<descriptor> cache;
  cache.attach(pool);
  for (int i = 0; i < count; ++i) {
    descriptor* d = cache.get();
    ASSERT_NE(d, nullptr);
    EXPECT_EQ(d->owner, nullptr) << "still somebody's";
    d->owner = &pool;
    while (slots[i % ring].load_acquire() != nullptr) std::this_thread::yield();
    slots[i % ring].store_release(d);
  }
  finisher.join();
  EXPECT_LE(pool.made(), ring + 4U * 256U);
}

TEST(object_cache, detach_gives_all_to_others) {
  object_pool<descriptor> pool;
  object_cache<descriptor> one;
  one.attach(pool);
  one.put(one.get());
  const std::uint64_t made = pool.made();
  one.detach();
  EXPECT_EQ(one.size(), 0U);
  object_cache<descriptor> other;
  other.attach(pool);
  std::set<descriptor*> seen;
  for (std::uint64_t i = 0; i < made; ++i) seen.insert(other.get());
  EXPECT_EQ(seen.size(), made);
  EXPECT_EQ(pool.made(), made);
}

TEST(object_pool, serves_threads_without_a_cache) {
  object_pool<descriptor> pool;
  descriptor* a = pool.get_shared();
  descriptor* b = pool.get_shared();
  EXPECT_NE(a, b);
  a->generation = 9;
  pool.put_shared(a);
  EXPECT_EQ(pool.get_shared(), a);
  EXPECT_EQ(a->generation, 9U);
  EXPECT_EQ(pool.made(), 2U);
}

TEST(object_pool, serves_objects_larger_than_a_slab) {
  struct large {
    char bytes[100 * 1024] = {};
  };
  object_pool<large> pool;
  object_cache<large, 2> cache;
  cache.attach(pool);
  std::set<large*> all;
  for (int i = 0; i < 20; ++i) {
    large* l = cache.get();
    ASSERT_NE(l, nullptr);
    l->bytes[sizeof l->bytes - 1] = 1;
    all.insert(l);
  }
  EXPECT_EQ(all.size(), 20U);
  for (large* l : all) cache.put(l);
  EXPECT_EQ(pool.made(), 20U);
}

int destroyed = 0;
struct with_end {
  ~with_end() { ++destroyed; }
  char rest[64] = {};
};

TEST(object_pool, stop_destroys_each_object_once) {
  object_pool<with_end> pool;
  object_cache<with_end, 4> cache;
  cache.attach(pool);
  for (int i = 0; i < 9; ++i) static_cast<void>(cache.get());
  cache.put(cache.get());
  const auto made = static_cast<int>(pool.made());
  cache.detach();
  destroyed = 0;
  pool.stop();
  EXPECT_EQ(destroyed, made);
  pool.stop();
  EXPECT_EQ(destroyed, made);
}

TEST(object_pool, no_memory_is_a_null_pointer) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer's address space has no such limit";
  const test::outcome o = test::in_child([] {
    object_pool<descriptor> pool;
    object_cache<descriptor> cache;
    cache.attach(pool);
    if (cache.get() == nullptr) _exit(1);
    if (!test::limit_address_space(1024 * 1024)) _exit(77);
    int count = 0;
    while (cache.get() != nullptr) ++count;
    if (count < 1000 || pool.get_shared() != nullptr) _exit(2);
    _exit(42);
  });
  if (o.exited_with(77)) GTEST_SKIP() << "the limit has no effect here";
  EXPECT_TRUE(o.exited_with(42)) << o.status;
}

}  // namespace
}  // namespace weft::rt
