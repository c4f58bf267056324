// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the negative errno of a C function to an exception, or the end of the process.
#pragma once

#include <cstdio>
#include <exception>
#include <system_error>

namespace weft::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail(int error, const char* what) {
  throw std::system_error(-error, std::generic_category(), what);
}

// What fail() throws; where there is no memory for that, what says so.
[[gnu::cold, gnu::noinline]] inline std::exception_ptr failure(int error,
                                                               const char* what) noexcept {
  try {
    fail(error, what);
  } catch (...) {
    return std::current_exception();
  }
}

// Passes on what a C function returned. Below 0 it is thrown, as a std::system_error that names the
// call.
inline int must(int result, const char* what) {
  if (result < 0) [[unlikely]]
    fail(result, what);
  return result;
}

// The same where nothing can be thrown, such as a destructor: says what and ends the process.
inline void must_not_fail(int result, const char* what) noexcept {
  if (result < 0) [[unlikely]]
    fail(result, what);
}

}  // namespace weft::detail
