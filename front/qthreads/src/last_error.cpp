// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// errno in code that may go on on another thread.
//
// The thread sanitizer takes each task for a thread, but errno is the worker's: tasks that use it
// one after the other are no race.
#include "last_error.hpp"

#include <cerrno>

namespace weft::qt {

__attribute__((noinline, no_sanitize("thread"))) int last_error() noexcept {
  asm volatile("");  // so that no two calls are taken for one
  return errno;
}

__attribute__((noinline, no_sanitize("thread"))) void set_last_error(int error) noexcept {
  asm volatile("");
  errno = error;
}

}  // namespace weft::qt
