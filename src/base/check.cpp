// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a failed check: one line, then abort.
#include "base/check.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace weft::rt {

namespace {

void put(const char* text) noexcept {
  std::size_t left = std::strlen(text);
  while (left > 0) {
    const ssize_t n = ::write(STDERR_FILENO, text, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text += n;
    left -= static_cast<std::size_t>(n);
  }
}

}  // namespace

void check_failed(const char* what, const char* file, int line) noexcept {
  char digits[12];
  char* p = digits + sizeof digits;
  *--p = '\0';
  do {
    *--p = static_cast<char>('0' + line % 10);
    line /= 10;
  } while (line > 0);
  put("weft: ");
  put(what);
  put(" (");
  put(file);
  put(":");
  put(p);
  put(")\n");
  std::abort();
}

}  // namespace weft::rt
