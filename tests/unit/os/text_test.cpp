// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every piece of text, its cut at the end of the buffer, and the write to standard error.
#include "os/text.hpp"

#include <cerrno>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>

namespace weft::rt::os {
namespace {

TEST(text, pieces_follow_each_other) {
  text t;
  t.add("a").add("bcd", 2).add(nullptr).decimal(0).add("/").decimal(UINT64_MAX);
  EXPECT_STREQ(t.c_str(), "abc(null)0/18446744073709551615");
  EXPECT_EQ(t.length(), std::string(t.c_str()).size());
  EXPECT_FALSE(t.truncated());
}

TEST(text, signed_numbers_reach_both_ends) {
  text t;
  t.signed_decimal(INT64_MIN).add(" ").signed_decimal(-1).add(" ").signed_decimal(INT64_MAX);
  EXPECT_STREQ(t.c_str(), "-9223372036854775808 -1 9223372036854775807");
}

TEST(text, hex_has_no_leading_zeros) {
  text t;
  t.hex(0).add(" ").hex(0x1f).add(" ").hex(UINT64_MAX);
  t.add(" ").pointer(reinterpret_cast<void*>(std::uintptr_t{0xdeadbeef}));
  EXPECT_STREQ(t.c_str(), "0x0 0x1f 0xffffffffffffffff 0xdeadbeef");
}

TEST(text, sizes_take_the_largest_unit_that_divides_them) {
  text t;
  for (std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{1024}, std::uint64_t{65536},
        std::uint64_t{1536} << 10, std::uint64_t{1} << 30, std::uint64_t{1} << 40}) {
    t.size(n).add(";");
  }
  EXPECT_STREQ(t.c_str(), "0 B;100 B;1 KiB;64 KiB;1536 KiB;1 GiB;1024 GiB;");
  t.clear();
  t.option_size(0).add(" ").option_size(16384).add(" ").option_size(3 << 20).add(" ").option_size(
      9);
  EXPECT_STREQ(t.c_str(), "0 16K 3M 9");
}

TEST(text, foreign_text_loses_control_characters) {
  text t;
  t.printable("a\nb\x1b[1m\x7f", 60).add("|").printable("\xc3\xa9", 60);
  EXPECT_STREQ(t.c_str(), "a?b?[1m?|\xc3\xa9");
  t.clear();
  t.printable("12345", 5).add("|").printable("123456", 5);
  EXPECT_STREQ(t.c_str(), "12345|12345...");
}

TEST(text, what_does_not_fit_is_cut_visibly) {
  text t;
  const std::string exact(text::capacity, 'x');
  t.add(exact.c_str());
  EXPECT_FALSE(t.truncated());
  EXPECT_EQ(t.c_str(), exact);
  t.add("y").add("z");
  EXPECT_TRUE(t.truncated());
  EXPECT_EQ(t.length(), text::capacity);
  EXPECT_EQ(t.c_str(), std::string(text::capacity - 3, 'x') + "...");
  t.clear();
  EXPECT_FALSE(t.truncated());
  EXPECT_STREQ(t.add("again").c_str(), "again");
}

TEST(text, is_written_whole_to_standard_error) {
  text t;
  for (int i = 0; i < 100; ++i) t.decimal(static_cast<std::uint64_t>(i)).add(" ");
  testing::internal::CaptureStderr();
  errno = ENOTTY;
  t.write_to_stderr();
  const int after = errno;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), t.c_str());
  EXPECT_EQ(after, ENOTTY);
}

TEST(text, begins_anew_once_it_was_flushed) {
  text t;
  testing::internal::CaptureStderr();
  t.add("a").flush_to_stderr();
  t.add("b").flush_to_stderr();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "ab");
  EXPECT_EQ(t.length(), 0u);
}

}  // namespace
}  // namespace weft::rt::os
