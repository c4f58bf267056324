// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers of fork() that there is no memory for when a test says so, or that take their time. For
// one file of a program.
#pragma once

#include <atomic>
#include <cerrno>
#include <pthread.h>

#include "support/build.hpp"

namespace weft::test {

// How many of the next ones are refused, and how many there were that were not.
inline std::atomic<int> refused_fork_handlers{0};
inline std::atomic<int> fork_handlers{0};

// Unless null, called before each one that is not refused, and when a fork would call it.
inline std::atomic<void (*)(bool registered)> at_fork_handlers{nullptr};

// The thread sanitizer has the function itself.
inline constexpr bool fork_handlers_can_be_refused = !tsan;

}  // namespace weft::test

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if !defined(__SANITIZE_THREAD__) && !__has_feature(thread_sanitizer)
extern "C" {
// glibc's, which its own pthread_atfork calls. NOLINTNEXTLINE: its name
int __register_atfork(void (*before)(), void (*in_parent)(), void (*in_child)(), void* library);

int pthread_atfork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  using weft::test::refused_fork_handlers;
  if (refused_fork_handlers > 0 && refused_fork_handlers-- > 0) return ENOMEM;
  ++weft::test::fork_handlers;
  if (const auto f = weft::test::at_fork_handlers.load()) f(false);
  const int failed = __register_atfork(before, in_parent, in_child, nullptr);
  if (const auto f = weft::test::at_fork_handlers.load()) f(true);
  return failed;
}
}
#endif
