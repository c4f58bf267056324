// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of what must be true: WEFT_CHECK in every build, WEFT_ASSERT in checked builds.
#pragma once

#include "base/build.hpp"

namespace weft::rt {

// Writes "weft: <what> (<file>:<line>)" to standard error and aborts. Async-signal-safe.
[[noreturn]] void check_failed(const char* what, const char* file, int line) noexcept;

}  // namespace weft::rt

// Before memory would be corrupted; the text is for the user of the library.
#define WEFT_CHECK(condition, what)             \
  (__builtin_expect(!!(condition), 1) ? (void)0 \
                                      : ::weft::rt::check_failed(what, __FILE__, __LINE__))

// What cannot happen; the text is for us.
#define WEFT_ASSERT(condition)                                         \
  ((!::weft::rt::build::checked || __builtin_expect(!!(condition), 1)) \
       ? (void)0                                                       \
       : ::weft::rt::check_failed("internal error: " #condition, __FILE__, __LINE__))
