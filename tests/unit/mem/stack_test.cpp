// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about stacks, their pool and their caches.
// WEFT_TEST_AT_LEVEL_OF_LIBRARY
#include "mem/stack.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::rt {
namespace {

using test::in_child;
using test::pages_resident;
using test::run_on;

constexpr std::size_t kib = 1024;

stack_options with_guard(guard_kind guard) {
  stack_options o;
  o.guard = guard;
  return o;
}

stack_options with_cache(unsigned cached) {
  stack_options o;
  o.cached = cached;
  return o;
}

// A pool and a cache over it.
struct arena {
  explicit arena(const stack_options& options = {}) {
    EXPECT_EQ(pool.start(options), 0);
    cache.attach(pool);
  }
  std::vector<stack*> get(std::size_t count) {
    std::vector<stack*> all(count);
    for (stack*& s : all) s = cache.get();
    return all;
  }
  void put(const std::vector<stack*>& all) {
    for (stack* s : all) cache.put(s);
  }
  stack_pool pool;
  stack_cache cache;
};

TEST(stack_layout, promise_lies_below_the_inline_floor) {
  for (const std::size_t promised : {16 * kib, 64 * kib, 1024 * kib, 8192 * kib, 17 * kib + 1}) {
    stack_options o;
    o.promised_bytes = promised;
    arena a(o);
    for (stack* s : a.get(20)) {
      ASSERT_NE(s, nullptr);
      EXPECT_GE(static_cast<std::size_t>(s->inline_floor - s->low), promised);
      EXPECT_GE(static_cast<std::size_t>(s->high - s->inline_floor), 30 * kib);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s->high) % 16, 0U);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s->low) % os::page_bytes(), 0U);
      EXPECT_EQ(s->home.get(), UINT32_MAX);
    }
  }
}

TEST(stack_layout, header_and_first_frames_share_a_page) {
  arena a;
  for (stack* s : a.get(100)) {
    const auto header = reinterpret_cast<std::uintptr_t>(s);
    const auto high = reinterpret_cast<std::uintptr_t>(s->high);
    EXPECT_EQ(header / os::page_bytes(), (header + sizeof(stack) - 1) / os::page_bytes());
    EXPECT_EQ(header / os::page_bytes(), (high - 2048) / os::page_bytes());
  }
}

TEST(stack_layout, new_stack_has_one_page) {
  arena a;
  for (stack* s : a.get(40)) EXPECT_EQ(pages_resident(*s), 1U);
}

TEST(stack_layout, large_stacks_end_mid_way_in_a_page_table) {
  const std::size_t span = os::page_bytes() * (os::page_bytes() / 8);
  stack_options o;
  o.promised_bytes = 2 * span;
  arena a(o);
  for (stack* s : a.get(20)) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s->low - o.guard_bytes) % span, span / 2);
  }
}

TEST(stack_layout, takes_160_kib_of_address_space_by_default) {
  if (os::page_bytes() > 32 * kib) GTEST_SKIP() << "more, where pages are larger than the reserve";
  arena a;
  std::vector<stack*> all = a.get(20);
  std::sort(all.begin(), all.end());
  std::size_t least = SIZE_MAX;
  for (std::size_t i = 1; i < all.size(); ++i)
    least = std::min(least, static_cast<std::size_t>(all[i]->low - all[i - 1]->low));
  EXPECT_EQ(least, 160 * kib);
}

TEST(stack_layout, headers_are_spread_over_lines) {
  arena a;
  std::set<std::uintptr_t> offsets;
  for (stack* s : a.get(64)) offsets.insert(reinterpret_cast<std::uintptr_t>(s) % os::page_bytes());
  if (sizeof(stack) <= 128) {
    EXPECT_EQ(offsets.size(), 8U);
  }
}

TEST(stack_pool, refuses_sizes_that_make_no_stack) {
  stack_pool pool;
  stack_options o;
  o.promised_bytes = 0;
  EXPECT_EQ(pool.start(o), -EINVAL);
  o = {};
  o.guard_bytes = 0;
  EXPECT_EQ(pool.start(o), -EINVAL);
  o = {};
  o.promised_bytes = SIZE_MAX;
  EXPECT_EQ(pool.start(o), -EINVAL);
  o = {};
  o.guard_bytes = SIZE_MAX;
  EXPECT_EQ(pool.start(o), -EINVAL);
  EXPECT_EQ(pool.start({}), 0);
}

TEST(stack_pool, starts_again_after_stop) {
  stack_pool pool;
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(pool.start({}), 0);
    stack_cache cache;
    cache.attach(pool);
    stack* s = cache.get();
    ASSERT_NE(s, nullptr);
    run_on(*s, [](void*) { test::dirty_below(20 * kib); }, nullptr);
    EXPECT_EQ(pool.live(), 1U);
    cache.detach();
    EXPECT_EQ(pool.find(s), s);
    pool.stop();
    EXPECT_EQ(pool.find(s), nullptr);
    EXPECT_EQ(pool.made(), 0U);
  }
}

TEST(stack_pool, finds_the_stack_of_an_address) {
  arena a;
  const std::vector<stack*> all = a.get(300);  // several chunks
  for (stack* s : all) {
    std::byte* slot = s->low - a.pool.options().guard_bytes;
    for (std::byte* p : {slot, s->low - 1, s->low, s->inline_floor, s->high - 1, s->high}) {
      EXPECT_EQ(a.pool.find(p), s);
      EXPECT_EQ(a.pool.in_guard(*s, p), p < s->low);
    }
    EXPECT_NE(a.pool.find(slot - 1), s);
  }
  int local = 0;
  EXPECT_EQ(a.pool.find(&local), nullptr);
  EXPECT_EQ(a.pool.find(nullptr), nullptr);
  EXPECT_EQ(a.pool.find(reinterpret_cast<void*>(UINTPTR_MAX)), nullptr);
}

TEST(stack_pool, does_not_find_a_stack_that_was_not_made) {
  arena a;
  const stack* s = a.cache.get();
  const std::size_t slot = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(s) - s->low);
  // The first chunk has 64 places; the last of them is not made yet.
  EXPECT_EQ(a.pool.find(s->low + 60 * (slot + a.pool.options().guard_bytes)), nullptr);
}

stack_pool* handler_pool = nullptr;
volatile std::sig_atomic_t handler_found = 0;

TEST(stack_pool, find_works_in_a_signal_handler) {
  arena a;
  stack* s = a.cache.get();
  handler_pool = &a.pool;
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = [](int) {
    int local = 0;
    handler_found = handler_pool->find(&local) != nullptr ? 1 : 2;
  };
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  raise(SIGUSR1);
  EXPECT_EQ(handler_found, 2) << "on the thread's own stack";
  if (!build::asan) {  // there, locals of a handler may be on a fake stack
    run_on(*s, [](void*) { raise(SIGUSR1); }, nullptr);
    EXPECT_EQ(handler_found, 1) << "on a stack of the pool";
  }
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(stack_pool, find_while_others_make_stacks) {
  stack_pool pool;
  ASSERT_EQ(pool.start({}), 0);
  atomic<stack*> latest{nullptr};
  std::thread maker([&] {
    stack_cache cache;
    cache.attach(pool);
    for (int i = 0; i < 2000; ++i) latest.store_release(cache.get());
    cache.detach();
  });
  std::uint64_t wrong = 0;
  for (int i = 0; i < 20'000; ++i) {
    stack* s = latest.load_acquire();
    if (s != nullptr && pool.find(s->low) != s) ++wrong;
  }
  maker.join();
  EXPECT_EQ(wrong, 0U);
}

// The line of /proc/self/smaps that says how a mapping is treated.
std::string vm_flags_of(const void* address) {
  const auto want = reinterpret_cast<std::uintptr_t>(address);
  std::FILE* f = std::fopen("/proc/self/smaps", "r");
  if (f == nullptr) return "";
  char line[512];
  bool inside = false;
  std::string flags;
  while (std::fgets(line, sizeof line, f) != nullptr) {
    unsigned long from = 0;
    unsigned long to = 0;
    if (std::sscanf(line, "%lx-%lx ", &from, &to) == 2) inside = from <= want && want < to;
    if (inside && std::strncmp(line, "VmFlags:", 8) == 0) flags = line;
  }
  std::fclose(f);
  return flags;
}

TEST(stack_pool, memory_is_kept_from_huge_pages) {
  void* marked = os::reserve(os::page_bytes());
  os::no_huge_pages(marked, os::page_bytes());
  const std::string wanted = vm_flags_of(marked);
  os::release(marked, os::page_bytes());
  if (wanted.find(" nh") == std::string::npos) GTEST_SKIP() << "the mark cannot be seen here";
  arena a;
  const std::string flags = vm_flags_of(a.cache.get()->low);
  EXPECT_NE(flags.find(" nh"), std::string::npos) << flags;
}

TEST(stack_pool, smaller_chunks_when_address_space_is_short) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer's address space has no such limit";
  const test::outcome o = in_child([] {
    if (!test::limit_address_space(6 * 1024 * kib)) _exit(77);  // a chunk of 64 needs 10 MiB
    stack_pool pool;
    if (pool.start({}) != 0) _exit(1);
    stack_cache cache;
    cache.attach(pool);
    int count = 0;
    while (cache.get() != nullptr) ++count;
    _exit(count >= 16 && count < 64 ? 42 : 2);
  });
  if (o.exited_with(77)) GTEST_SKIP() << "the limit has no effect here";
  EXPECT_TRUE(o.exited_with(42)) << o.status;
}

TEST(stack_cache, gives_the_hottest_first) {
  arena a;
  const std::vector<stack*> all = a.get(3);
  a.put(all);
  EXPECT_EQ(a.cache.get(), all[2]);
  EXPECT_EQ(a.cache.get(), all[1]);
  EXPECT_EQ(a.cache.get(), all[0]);
}

TEST(stack_cache, every_stack_is_in_one_place) {
  for (const unsigned cached : {0U, 1U, 2U, 7U, 64U, 4096U}) {
    arena a(with_cache(cached));
    for (int round = 0; round < 3; ++round) {
      const std::vector<stack*> all = a.get(500);
      EXPECT_EQ(std::set<stack*>(all.begin(), all.end()).size(), 500U);
      EXPECT_EQ(a.pool.live(), 500U);
      a.put(all);
      EXPECT_EQ(a.pool.live(), 0U);
    }
    EXPECT_LE(a.pool.made(), 520U) << "stacks given back are used before new ones";
  }
}

TEST(stack_cache, detach_gives_all_to_others) {
  stack_pool pool;
  ASSERT_EQ(pool.start(with_cache(64)), 0);
  stack_cache one;
  one.attach(pool);
  std::set<stack*> seen;
  std::vector<stack*> mine;
  for (int i = 0; i < 60; ++i) mine.push_back(one.get());
  for (stack* s : mine) one.put(s);
  one.detach();
  EXPECT_EQ(pool.live(), 0U);
  const std::uint64_t made = pool.made();
  stack_cache other;
  other.attach(pool);
  for (std::uint64_t i = 0; i < made; ++i) seen.insert(other.get());
  EXPECT_EQ(seen.size(), made);
  EXPECT_EQ(pool.made(), made);
}

TEST(stack_cache, imbalance_between_two_workers_makes_no_new_stacks) {
  stack_pool pool;
  ASSERT_EQ(pool.start(with_cache(8)), 0);
  stack_cache taker;
  stack_cache giver;
  taker.attach(pool);
  giver.attach(pool);
  for (int i = 0; i < 10'000; ++i) giver.put(taker.get());
  EXPECT_LE(pool.made(), 48U);
  EXPECT_EQ(pool.live(), 0U);
}

TEST(stack_cache, keeps_as_many_as_it_is_told) {
  arena a(with_cache(8));
  a.put(a.get(100));
  const std::uint64_t made = a.pool.made();
  // What it does not keep another one has without making any.
  stack_cache other;
  other.attach(a.pool);
  std::vector<stack*> others;
  for (std::uint64_t i = 0; i < made - 8; ++i) others.push_back(other.get());
  EXPECT_EQ(a.pool.made(), made);
  for (stack* s : others) other.put(s);
}

TEST(stack_cache, what_it_reserves_is_not_given_to_others) {
  for (const unsigned cached : {0U, 1U, 64U}) {
    stack_pool pool;
    ASSERT_EQ(pool.start(with_cache(cached)), 0);
    stack_cache mine;
    stack_cache other;
    mine.attach(pool);
    stack* const known = mine.get();
    mine.put(known);
    mine.detach();  // now the depot has it
    mine.attach(pool);
    other.attach(pool);
    ASSERT_TRUE(mine.reserve());
    ASSERT_TRUE(mine.reserve()) << "once is enough";
    EXPECT_EQ(pool.live(), 0U);
    const std::uint64_t made = pool.made();
    stack* const others = other.get();
    stack* const got = mine.get();
    EXPECT_NE(others, known);
    EXPECT_NE(got, others);
    EXPECT_LE(pool.made() - made, std::max(1U, cached / 2)) << "the other one's";
    mine.put(got);
    other.put(others);
    EXPECT_EQ(pool.live(), 0U);
    ASSERT_TRUE(mine.reserve());
    mine.detach();  // its thread never began
    EXPECT_EQ(pool.live(), 0U);
  }
}

TEST(stack_cache, a_stack_is_there_for_who_reserved_it_when_memory_has_run_out) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer's address space has no such limit";
  for (const unsigned cached : {0U, 1U, 64U}) {
    const test::outcome o = in_child([cached] {
      if (!test::limit_address_space(6 * 1024 * kib)) _exit(77);
      stack_pool pool;
      if (pool.start(with_cache(cached)) != 0) _exit(1);
      stack_cache mine;
      stack_cache other;
      mine.attach(pool);
      other.attach(pool);
      stack* last = other.get();
      for (stack* s = last; s != nullptr; s = other.get()) last = s;
      other.put(last);
      other.detach();
      other.attach(pool);
      if (!mine.reserve()) _exit(2);
      if (other.get() != nullptr) _exit(3);
      _exit(mine.get() != nullptr ? 42 : 4);
    });
    if (o.exited_with(77)) GTEST_SKIP() << "the limit has no effect here";
    EXPECT_TRUE(o.exited_with(42)) << o.status;
  }
}

TEST(stack_cache, threads_exchange_stacks) {
  stack_pool pool;
  ASSERT_EQ(pool.start(with_cache(4)), 0);
  std::vector<std::thread> workers;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&pool, w] {
      stack_cache cache;
      cache.attach(pool);
      std::vector<stack*> mine;
      for (int i = 0; i < 300; ++i) {
        for (int k = 0; k < 13; ++k) {
          stack* s = cache.get();
          s->inline_floor = s->low + w;  // a race if somebody else has it too
          mine.push_back(s);
        }
        while (!mine.empty()) {
          EXPECT_EQ(mine.back()->inline_floor, mine.back()->low + w);
          cache.put(mine.back());
          mine.pop_back();
        }
        cache.trim_idle();
      }
      cache.detach();
    });
  }
  for (std::thread& w : workers) w.join();
  EXPECT_EQ(pool.live(), 0U);
}

// --- guards -------------------------------------------------------------------------------------

TEST(stack_guard, automatic_takes_the_best_and_says_so) {
  arena a;
  const std::string before = a.pool.guard_text();
  EXPECT_NE(before.find("guarded by "), std::string::npos) << before;
  EXPECT_NE(before.find(" (stacks so far: 0), "), std::string::npos) << before;
  stack* s = a.cache.get();
  const std::string text = a.pool.guard_text();
  EXPECT_EQ(text.rfind("64 KiB below each stack: ", 0), 0U) << text;
  if (s->guard == guard_kind::madvise) {
    EXPECT_NE(text.find("MADV_GUARD_INSTALL"), std::string::npos);
    EXPECT_EQ(text.find("mprotect"), std::string::npos) << text;
  } else {
    EXPECT_EQ(s->guard, guard_kind::mprotect);
    EXPECT_NE(text.find("mprotect"), std::string::npos);
  }
  EXPECT_EQ(s->canary, nullptr);
}

TEST(stack_guard, survives_use_and_trimming) {
  for (const guard_kind kind : {guard_kind::automatic, guard_kind::mprotect}) {
    arena a(with_guard(kind));
    stack* s = a.cache.get();
    run_on(*s, [](void*) { test::dirty_below(40 * kib); }, nullptr);
    trim_stack(*s, s->high);
    const test::outcome o =
        in_child([s] { *const_cast<volatile std::byte*>(s->low - 1) = std::byte{1}; });
    EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  }
}

TEST(stack_guard, canaries_take_over_when_mappings_are_used_up) {
  arena a(with_guard(guard_kind::mprotect));
  const std::vector<stack*> all = a.get(16'500);
  EXPECT_EQ(all.front()->guard, guard_kind::mprotect);
  EXPECT_EQ(all.back()->guard, guard_kind::canary);
  EXPECT_NE(all.back()->canary, nullptr);
  const std::string text = a.pool.guard_text();
  EXPECT_NE(text.find("guarded by mprotect (stacks so far: 16384), as asked for; canaries only ("),
            std::string::npos)
      << text;
  // The program can still map memory.
  void* p = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(p, MAP_FAILED);
  munmap(p, 4096);
}

TEST(stack_guard, more_stacks_than_mappings_are_guarded) {
  const std::size_t count = test::sanitized ? 20'000 : 70'000;  // vm.max_map_count is 65,530
  arena a;
  if (a.cache.get()->guard != guard_kind::madvise) GTEST_SKIP() << "needs MADV_GUARD_INSTALL";
  std::vector<stack*> all = a.get(count);
  std::size_t guarded = 0;
  for (const stack* s : all) guarded += s->guard == guard_kind::madvise ? 1 : 0;
  EXPECT_EQ(guarded, count);
  EXPECT_EQ(a.pool.find(all[count / 2]->low), all[count / 2]);
  a.put(all);
  EXPECT_EQ(a.pool.live(), 1U);
}

// --- trimming -----------------------------------------------------------------------------------

void dirty(stack& s, std::size_t bytes) {
  run_on(s, [](void* n) { test::dirty_below(*static_cast<std::size_t*>(n)); }, &bytes);
}

TEST(stack_trimming, parking_gives_back_what_lies_below) {
  arena a;
  stack* s = a.cache.get();
  std::byte* shallow = s->high - 512;
  dirty(*s, 40 * kib);
  EXPECT_GE(pages_resident(*s), 10U);
  note_park(*s, shallow);  // the first
  EXPECT_EQ(pages_resident(*s), 1U);
}

TEST(stack_trimming, parking_keeps_what_lies_above) {
  arena a;
  stack* s = a.cache.get();
  dirty(*s, 60 * kib);
  std::byte* deep = s->high - 30 * kib;
  *deep = std::byte{77};
  note_park(*s, deep);
  EXPECT_EQ(*deep, std::byte{77});
  EXPECT_EQ(pages_resident(s->low, deep - os::page_bytes()), 0U);
  EXPECT_GE(pages_resident(deep, s->high), 7U);
}

TEST(stack_trimming, parking_looks_seldom) {
  arena a;
  stack* s = a.cache.get();
  std::vector<unsigned> looked;
  for (unsigned use = 1; use <= 4096; ++use) {
    *(s->low + 8 * kib) = std::byte{1};
    note_park(*s, s->high - 512);
    if (pages_resident(s->low, s->low + 16 * kib) == 0) looked.push_back(use);
  }
  EXPECT_EQ(looked,
            (std::vector<unsigned>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3072, 4096}));
}

TEST(stack_trimming, parking_looks_after_any_number_of_recyclings) {
  arena a;
  stack* s = a.cache.get();
  note_park(*s, s->high - 512);
  s->to_look.set(INT32_MIN);  // as after 2^31 of them
  a.cache.put(s);
  ASSERT_EQ(a.cache.get(), s);
  dirty(*s, 40 * kib);
  note_park(*s, s->high - 512);
  EXPECT_EQ(pages_resident(*s), 1U);
  EXPECT_GE(s->to_look.get(), 0);
}

TEST(stack_trimming, a_stack_may_trim_itself) {
  arena a;
  stack* s = a.cache.get();
  struct facts {
    stack* s;
    int kept;
  } f{s, 0};
  run_on(
      *s,
      [](void* p) {
        test::dirty_below(60 * kib);
        auto* known = static_cast<facts*>(p);
        volatile int local = 4711;
        trim_stack(*known->s, known->s->high - 64);  // a lie: we stand further down
        known->kept = local;
      },
      &f);
  EXPECT_EQ(f.kept, 4711);
  EXPECT_LE(pages_resident(*s), 4U);
}

TEST(stack_trimming, a_task_parking_near_the_base_keeps_one_page) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer's frames are larger";
  arena a;
  for (int i = 0; i < 64; ++i) {  // each place that a header can have
    stack* s = a.cache.get();
    run_on(
        *s,
        [](void* p) {
          test::dirty_below(60 * kib);
          note_park(*static_cast<stack*>(p), arch::stack_pointer());
        },
        s);
    EXPECT_EQ(pages_resident(*s), 1U);
  }
}

TEST(stack_trimming, large_stacks_are_trimmed_whole) {
  stack_options o;
  o.promised_bytes = 16 * 1024 * kib;
  arena a(o);
  stack* s = a.cache.get();
  for (std::byte* p = s->low; p < s->high; p += 999 * kib) *p = std::byte{1};
  EXPECT_GT(pages_resident(*s), 16U);
  trim_stack(*s, s->high);
  EXPECT_EQ(pages_resident(*s), 1U);
}

TEST(stack_trimming, depot_keeps_top_pages_only) {
  arena a(with_cache(0));
  stack* s = a.cache.get();
  dirty(*s, 40 * kib);
  a.cache.put(s);
  EXPECT_EQ(pages_resident(*s), 1U);
}

TEST(stack_trimming, depot_looks_at_each_stack_again_and_again) {
  arena a(with_cache(0));
  int dirty_now = 0;
  int longest = 0;
  for (int i = 0; i < 200; ++i) {
    stack* s = a.cache.get();
    dirty(*s, 40 * kib);
    a.cache.put(s);
    dirty_now = pages_resident(*s) > 1 ? dirty_now + 1 : 0;
    longest = std::max(longest, dirty_now);
  }
  EXPECT_LT(longest, 16);
}

TEST(stack_trimming, idle_worker_gives_back_what_it_caches) {
  arena a;
  const std::vector<stack*> all = a.get(40);
  for (stack* s : all) dirty(*s, 40 * kib);
  a.put(all);
  EXPECT_GT(pages_resident(*all[0]), 1U) << "still in use, as far as anyone knows";
  // Each call looks at idle_visits of them; the second look finds them unused.
  const std::int64_t now = 5'000'000'000;
  for (std::uint32_t i = 0; i < 3 * 64 / stack_cache::idle_visits; ++i) {
    a.cache.trim_idle(now + i * stack_pool::idle_age_ns);
  }
  for (const stack* s : all) EXPECT_EQ(pages_resident(*s), 1U);
}

TEST(stack_trimming, idle_worker_looks_seldom) {
  arena a;
  stack* s = a.cache.get();
  dirty(*s, 40 * kib);
  a.cache.put(s);
  const std::int64_t now = 5'000'000'000;
  for (int i = 0; i < 1000; ++i) a.cache.trim_idle(now);
  EXPECT_GT(pages_resident(*s), 1U);
}

TEST(stack_trimming, idle_worker_leaves_busy_stacks_alone) {
  arena a;
  a.put(a.get(1));
  const std::int64_t now = 5'000'000'000;
  for (int i = 0; i < 100; ++i) {
    stack* s = a.cache.get();
    dirty(*s, 40 * kib);
    a.cache.put(s);
    a.cache.trim_idle(now + i * stack_pool::idle_age_ns);
    EXPECT_GT(pages_resident(*s), 1U);
  }
}

// As if s had been used so often that the depot looks at it each 16th time only; just trimmed.
void make_old(arena& a, stack* s) {
  for (int i = 0; i < 40; ++i) s->count_use();
  a.cache.put(s);
  ASSERT_EQ(a.cache.get(), s);
}

TEST(stack_trimming, idle_depot_is_trimmed) {
  arena a(with_cache(0));
  stack* s = a.cache.get();
  make_old(a, s);
  dirty(*s, 40 * kib);
  a.cache.put(s);
  EXPECT_GT(pages_resident(*s), 1U);
  a.pool.trim_idle(s->batch_since_ns + stack_pool::idle_age_ns - 1);
  EXPECT_GT(pages_resident(*s), 1U) << "it came only just now";
  a.pool.trim_idle(s->batch_since_ns + stack_pool::idle_age_ns);
  EXPECT_EQ(pages_resident(*s), 1U);
  EXPECT_EQ(a.cache.get(), s) << "and it is still there";
}

TEST(stack_trimming, few_stacks_of_the_depot_stay_dirty) {
  arena a(with_cache(0));
  const std::vector<stack*> all = a.get(2 * stack_pool::dirty_limit);
  for (stack* s : all) {
    make_old(a, s);
    dirty(*s, 8 * kib);
  }
  a.put(all);
  std::uint32_t dirty_now = 0;
  for (const stack* s : all) dirty_now += pages_resident(*s) > 1 ? 1 : 0;
  EXPECT_EQ(dirty_now, stack_pool::dirty_limit);
}

}  // namespace
}  // namespace weft::rt
