// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that empty and fill words of one table while it grows and shrinks; readers without a
// lock.
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "base/build.hpp"
#include "lockfree/word_table.hpp"
#include "os/memory.hpp"
#include "threads.hpp"

namespace weft::rt {
namespace {

struct stress_env {
  static uint64_t hash(uintptr_t line) noexcept {
    const uint64_t mixed = line * 0x9E37'79B9'7F4A'7C15;
    return mixed >> 40 ^ mixed >> 20;
  }
  static void pause(unsigned spun) noexcept { test::pause(spun); }
  static bool prepare() noexcept { return true; }
  static void* reserve(std::size_t bytes) noexcept { return os::reserve(bytes); }
  static void discard(void* p, std::size_t bytes) noexcept { os::discard(p, bytes); }
  static void* take(std::size_t bytes) noexcept { return std::malloc(bytes); }
  static void give(void* p, std::size_t) noexcept { std::free(p); }
  static bool gone(uintptr_t) noexcept { return false; }
  static constexpr uint64_t first_buckets = 1;
  static constexpr uint64_t crowded_buckets = 8;
  static constexpr uint64_t most_buckets = 1u << 16;
  static constexpr uint64_t least_buckets = 1u << 16;
  static constexpr uint32_t crowd = 64;
};
using table = word_table<stress_env>;

class word_table_stress : public testing::TestWithParam<int> {};

// Each thread has words of its own, in lines that it shares with the others, and knows what they
// are.
TEST_P(word_table_stress, each_thread_finds_its_words_as_it_left_them) {
  const auto threads = static_cast<unsigned>(GetParam());
  const unsigned rounds = build::tsan ? 4 : 40;
  const unsigned lines = 2000;
  static table words;
  ASSERT_TRUE(words.ready());
  struct cell {
    atomic<uint64_t> value{1};
    uint64_t plain = 1;  // written before a fill, read after a read of the filled value
  };
  std::vector<cell> cells(8 * lines);
  const auto word_of = [](unsigned i) { return uintptr_t{8} * i; };
  std::atomic<uint64_t> reads{0};
  std::vector<std::thread> all;
  for (unsigned me = 0; me < threads; ++me) {
    all.emplace_back([&, me] {
      test::dice dice(me + 1);
      table::more_line* spare = nullptr;
      for (unsigned round = 0; round < rounds; ++round) {
        const unsigned from = dice.roll(lines);
        const unsigned count = 1 + dice.roll(lines);
        for (unsigned k = 0; k < count; ++k) {
          const unsigned i = (from + k) % lines * 8 + me;
          table::held h = words.close(word_of(i));
          ASSERT_FALSE(words.is_empty(h, word_of(i)));
          h.spare = spare;
          spare = nullptr;
          table::mark m = words.set_empty(h, word_of(i));
          if (m == table::mark::no_room) {
            words.open(h);
            spare = words.spare_line();
            spare->next = nullptr;
            --k;
            continue;
          }
          ASSERT_EQ(m, table::mark::done);
          cells[i].value.store_release(0);
          words.open(h);
        }
        for (unsigned k = 0; k < count; ++k) {
          const unsigned i = (from + k) % lines * 8 + me;
          cells[i].plain = round + 2;
          table::held h = words.close(word_of(i));
          ASSERT_EQ(words.set_full(h, word_of(i)), table::mark::done);
          cells[i].value.store_release(round + 2);
          words.open(h);
        }
        // Words of others: full, so never 0. What was written before the fill may change again only
        // after the word was emptied, so it is compared for own words alone.
        for (unsigned k = 0; k < count; ++k) {
          const unsigned i = dice.roll(8 * lines);
          uint64_t seen = 0;
          const auto load_acquire = [&] { return cells[i].value.load_acquire(); };
          if (!words.read_full(word_of(i), load_acquire, seen)) continue;
          ASSERT_NE(seen, 0u);
          ASSERT_TRUE(i % 8 != me || seen == cells[i].plain);
          reads.fetch_add(1, std::memory_order_relaxed);
        }
      }
    });
  }
  for (std::thread& t : all) t.join();
  EXPECT_GT(reads.load(), 0u);
  for (unsigned i = 0; i < 8 * lines; ++i) {
    table::held h = words.close(word_of(i));
    ASSERT_FALSE(words.is_empty(h, word_of(i)));
    words.open(h);
  }
}

INSTANTIATE_TEST_SUITE_P(threads, word_table_stress, testing::Values(1, 2, 7));

}  // namespace
}  // namespace weft::rt
