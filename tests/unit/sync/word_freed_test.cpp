// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words that were left empty in memory that was freed: they are forgotten where they would cost
// something.
#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/build.hpp"
#include "sync/word.hpp"

namespace weft::rt {
namespace {

constexpr std::size_t words_left = build::tsan || build::asan ? 500'000 : 10'000'000;
constexpr std::size_t chunk_words = 1u << 16;  // that are alive together
constexpr std::size_t chunk_bytes = chunk_words * sizeof(uint64_t);
constexpr std::size_t chunks = (words_left + chunk_words - 1) / chunk_words;

// Null: there are not so many addresses.
std::byte* reserve(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p != MAP_FAILED ? static_cast<std::byte*>(p) : nullptr;
}
uint64_t* word_at(std::byte* base, std::size_t i) { return reinterpret_cast<uint64_t*>(base) + i; }

TEST(words_in_freed_memory, ten_million_left_empty_neither_grow_the_table_nor_slow_the_rest) {
  ASSERT_TRUE(words.ready());
  std::byte* const all = reserve(chunks * chunk_bytes);
  // Now, or it may be given addresses where words were left.
  std::byte* const fresh = reserve(chunk_bytes);
  ASSERT_TRUE(all != nullptr && fresh != nullptr);
  // As large as it gets with one chunk, and nothing else.
  uint64_t one_chunk = 0;
  uint64_t most = 0;
  for (std::size_t c = 0; c < chunks; ++c) {
    std::byte* const chunk = all + c * chunk_bytes;
    for (std::size_t i = 0; i < chunk_words; ++i) ASSERT_EQ(word_empty(word_at(chunk, i)), 0);
    ASSERT_FALSE(word_is_full(word_at(chunk, chunk_words / 2)));
    ASSERT_EQ(munmap(chunk, chunk_bytes), 0);
    most = std::max(most, words.buckets());
    if (one_chunk == 0) one_chunk = most;
  }
  EXPECT_LE(most, 8 * one_chunk) << "for " << words_left << " words, of which " << chunk_words
                                 << " were alive";

  // The rest: words that are full are read without a lock, beside what is left.
  std::size_t without_lock = 0;
  for (std::size_t i = 0; i < chunk_words; ++i) {
    uint64_t value = 1;
    if (words.read_full(
            reinterpret_cast<uintptr_t>(word_at(fresh, i)), [] { return uint64_t{0}; }, value))
      ++without_lock;
  }
  EXPECT_GE(without_lock, chunk_words / 2);

  // And they come and go: what was left is dropped on the way, and the table shrinks by itself.
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < chunk_words; ++i) ASSERT_EQ(word_empty(word_at(fresh, i)), 0);
    for (std::size_t i = 0; i < chunk_words; ++i) ASSERT_EQ(word_fill(word_at(fresh, i)), 0);
  }
  // Not to the bucket: which words share one is a matter of their addresses.
  EXPECT_LE(words.buckets(), most + most / 10);
  ASSERT_EQ(munmap(fresh, chunk_bytes), 0);
}

}  // namespace
}  // namespace weft::rt
