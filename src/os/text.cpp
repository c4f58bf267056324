// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The line builder: digits by hand, one write at the end.
#include "os/text.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unistd.h>

#include "os/errno_kept.hpp"

namespace weft::rt::os {

namespace {

constexpr char cut_mark[] = "...";
constexpr std::size_t cut_length = sizeof cut_mark - 1;

}  // namespace

text& text::add(const char* s) noexcept {
  if (s == nullptr) s = "(null)";
  return add(s, std::strlen(s));
}

text& text::add(const char* s, std::size_t length) noexcept {
  if (truncated_) return *this;
  const std::size_t room = capacity - length_;
  if (length <= room) {
    std::memcpy(buffer_ + length_, s, length);
    length_ += length;
  } else {
    std::memcpy(buffer_ + length_, s, room);
    std::memcpy(buffer_ + capacity - cut_length, cut_mark, cut_length);
    length_ = capacity;
    truncated_ = true;
  }
  buffer_[length_] = '\0';
  return *this;
}

text& text::decimal(std::uint64_t n) noexcept {
  char digits[20];  // 2^64 has 20
  char* p = digits + sizeof digits;
  do {
    *--p = static_cast<char>('0' + n % 10);
    n /= 10;
  } while (n != 0);
  return add(p, static_cast<std::size_t>(digits + sizeof digits - p));
}

text& text::signed_decimal(std::int64_t n) noexcept {
  const auto bits = static_cast<std::uint64_t>(n);
  return n < 0 ? add("-").decimal(0 - bits) : decimal(bits);
}

text& text::hex(std::uint64_t n) noexcept {
  char digits[18];
  char* p = digits + sizeof digits;
  do {
    *--p = "0123456789abcdef"[n % 16];
    n /= 16;
  } while (n != 0);
  *--p = 'x';
  *--p = '0';
  return add(p, static_cast<std::size_t>(digits + sizeof digits - p));
}

text& text::pointer(const void* p) noexcept { return hex(reinterpret_cast<std::uintptr_t>(p)); }

text& text::scaled(std::uint64_t n, const char* const* units) noexcept {
  constexpr unsigned largest = 3;
  unsigned unit = 0;
  while (unit < largest && n != 0 && n % 1024 == 0) {
    n /= 1024;
    ++unit;
  }
  return decimal(n).add(units[unit]);
}

text& text::size(std::uint64_t bytes) noexcept {
  static constexpr const char* units[] = {" B", " KiB", " MiB", " GiB"};
  return scaled(bytes, units);
}

text& text::option_size(std::uint64_t n) noexcept {
  static constexpr const char* units[] = {"", "K", "M", "G"};
  return scaled(n, units);
}

text& text::printable(const char* s, std::size_t most) noexcept {
  for (std::size_t i = 0; s[i] != '\0'; ++i) {
    if (i == most) return add(cut_mark);
    const auto byte = static_cast<unsigned char>(s[i]);
    const bool control = byte < 0x20 || byte == 0x7f;
    add(control ? "?" : s + i, 1);
  }
  return *this;
}

void text::clear() noexcept {
  length_ = 0;
  truncated_ = false;
  buffer_[0] = '\0';
}

int text::write_to(int fd) const noexcept {
  const errno_kept keep;
  const char* from = buffer_;
  std::size_t left = length_;
  while (left > 0) {
    const ssize_t n = ::write(fd, from, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? -errno : -EIO;
    from += n;
    left -= static_cast<std::size_t>(n);
  }
  return 0;
}

void text::write_to_stderr() const noexcept { (void)write_to(STDERR_FILENO); }

void text::flush_to_stderr() noexcept {
  write_to_stderr();
  clear();
}

}  // namespace weft::rt::os
