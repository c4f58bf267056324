// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The block that an owner keeps: the same again for as many bytes, another for others, none for
// two.
#include "mem/spare_block.hpp"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>

namespace weft::rt {
namespace {

constexpr std::size_t small = 512;
constexpr std::size_t large = std::size_t{1} << 17;  // pages of the kernel

bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

TEST(spare_block, what_was_given_back_is_taken_again) {
  for (const std::size_t bytes : {small, large}) {
    spare_block spare;
    void* const first = spare.take(bytes);
    ASSERT_NE(first, nullptr);
    EXPECT_TRUE(is_aligned(first));
    std::memset(first, 1, bytes);
    spare.give(first, bytes);
    void* const again = spare.take(bytes);
    EXPECT_EQ(again, first);
    raw_free(again, bytes);
  }
}

TEST(spare_block, two_that_are_out_are_two) {
  spare_block spare;
  spare.give(spare.take(small), small);
  void* const one = spare.take(small);
  void* const two = spare.take(small);
  ASSERT_NE(one, nullptr);
  ASSERT_NE(two, nullptr);
  EXPECT_NE(one, two);
  std::memset(one, 1, small);
  std::memset(two, 2, small);
  EXPECT_EQ(static_cast<char*>(one)[small - 1], 1);
  spare.give(one, small);
  spare.give(two,
             small);  // one of them is freed, the other with the owner: the address sanitizer looks
}

TEST(spare_block, another_size_is_another_block) {
  spare_block spare;
  spare.give(spare.take(small), small);
  void* const more = spare.take(large);
  ASSERT_NE(more, nullptr);
  std::memset(more, 3, large);
  spare.give(more, large);
  void* const again = spare.take(large);
  EXPECT_EQ(again, more);
  raw_free(again, large);
}

}  // namespace
}  // namespace weft::rt
