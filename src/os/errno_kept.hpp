// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts errno back at the end of a scope, for calls that the program did not ask for.
#pragma once

#include <cerrno>

namespace weft::rt::os {

// Only around code that cannot park: the thread, and with it errno, must be the same at the end.
class errno_kept {
 public:
  errno_kept() noexcept : value_(errno) {}
  ~errno_kept() noexcept { errno = value_; }
  errno_kept(const errno_kept&) = delete;
  errno_kept& operator=(const errno_kept&) = delete;

 private:
  int value_;
};

}  // namespace weft::rt::os
