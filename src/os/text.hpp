// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text built in a fixed buffer without allocation or locale, so that a signal handler can use it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::rt::os {

// Async-signal-safe throughout. What does not fit is cut off; the text then ends in "...".
class text {
 public:
  static constexpr std::size_t capacity = 1023;

  text& add(const char* s) noexcept;  // nullptr adds "(null)"
  text& add(const char* s, std::size_t length) noexcept;
  text& decimal(std::uint64_t n) noexcept;
  text& signed_decimal(std::int64_t n) noexcept;
  text& hex(std::uint64_t n) noexcept;    // 0x1f
  text& pointer(const void* p) noexcept;  // as hex
  text& size(
      std::uint64_t bytes) noexcept;  // the largest unit that divides it: 64 KiB, 1 GiB, 100 B
  text& option_size(std::uint64_t n) noexcept;  // as a WEFT_ value is written: 64K, 1G, 100
  text& printable(const char* s,
                  std::size_t most) noexcept;  // foreign text: no control characters,
                                               // cut after `most` bytes by "..."

  const char* c_str() const noexcept { return buffer_; }
  std::size_t length() const noexcept { return length_; }
  bool truncated() const noexcept { return truncated_; }
  void clear() noexcept;

  // All of it to standard error, in one write where the system allows. errno is preserved.
  void write_to_stderr() const noexcept;
  // The same, and begins anew: what is known is written before something that may not return.
  void flush_to_stderr() noexcept;
  // As write_to_stderr, to any open file. 0 or -errno.
  [[nodiscard]] int write_to(int fd) const noexcept;

 private:
  text& scaled(std::uint64_t n, const char* const* units) noexcept;

  std::size_t length_ = 0;
  bool truncated_ = false;
  char buffer_[capacity + 1] = {};
};

}  // namespace weft::rt::os
