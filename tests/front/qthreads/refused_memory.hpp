// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that runs out when a test says so, or takes its time, for all that asks for it by new,
// std::thread too. For one file of a program.
#pragma once

#include <atomic>
#include <climits>
#include <cstdlib>
#include <new>

namespace weft::test {

// How many of the next ones get none.
inline std::atomic<long> refused_memory{0};
inline constexpr long all_memory = LONG_MAX;

// Unless null, called before each one.
inline std::atomic<void (*)()> at_memory{nullptr};

}  // namespace weft::test

// The thread sanitizer has these, and cannot be told that there are others. The address sanitizer
// has what new[] calls.
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if !defined(__SANITIZE_THREAD__) && !__has_feature(thread_sanitizer)
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  using weft::test::refused_memory;
  if (const auto f = weft::test::at_memory.load()) f();
  const bool refused = refused_memory > 0 && refused_memory-- > 0;
  return refused ? nullptr : std::malloc(bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const p = operator new(bytes, std::nothrow);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
#endif
