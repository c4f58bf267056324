// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads errno, and puts it back at the end of a scope, for calls that the program did not ask for.
//
// Not watched by TSan: errno belongs to the thread, on which tasks take turns that TSan does not
// order.
#pragma once

#include <cerrno>

namespace weft::rt::os {

// Why the call just before failed.
__attribute__((no_sanitize("thread"))) inline int last_error() noexcept { return errno; }

// Only around code that cannot park: the thread, and with it errno, must be the same at the end.
class errno_kept {
 public:
  __attribute__((no_sanitize("thread"))) errno_kept() noexcept : value_(errno) {}
  __attribute__((no_sanitize("thread"))) ~errno_kept() noexcept { errno = value_; }
  errno_kept(const errno_kept&) = delete;
  errno_kept& operator=(const errno_kept&) = delete;

 private:
  int value_;
};

}  // namespace weft::rt::os
