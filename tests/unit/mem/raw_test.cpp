// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about raw_alloc.
#include "mem/raw.hpp"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>

#include "support.hpp"

namespace weft::rt {
namespace {

TEST(raw, every_size_is_aligned_and_usable) {
  for (const std::size_t bytes : {1, 63, 64, 65, 4096, 65'535, 65'536, 65'537, 1'000'000}) {
    void* p = raw_alloc(bytes);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0U);
    std::memset(p, 0xa5, bytes);
    raw_free(p, bytes);
  }
  raw_free(nullptr, 10);
}

TEST(raw, large_memory_is_resident_only_where_touched) {
  constexpr std::size_t bytes = 64 * 1024 * 1024;
  auto* p = static_cast<std::byte*>(raw_alloc(bytes));
  ASSERT_NE(p, nullptr);
  *p = std::byte{1};
  EXPECT_LE(test::pages_resident(p, p + 1024 * 1024),
            512U);  // a huge page, where they are always on
  EXPECT_EQ(test::pages_resident(p + bytes - 65'536, p + bytes), 0U);
  raw_free(p, bytes);
  EXPECT_EQ(test::pages_resident(p, p + 65'536), 0U) << "given back";
}

TEST(raw, impossible_sizes_are_a_null_pointer) {
  EXPECT_EQ(raw_alloc(SIZE_MAX), nullptr);
  EXPECT_EQ(raw_alloc(static_cast<std::size_t>(PTRDIFF_MAX)), nullptr);
}

}  // namespace
}  // namespace weft::rt
