// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci without a cut-off: one spawn and one join for each call above the leaves.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t n_full = 32;
inline constexpr int64_t n_quick = 25;

constexpr int64_t fib_value(int64_t n) {
  int64_t a = 0;
  int64_t b = 1;
  for (; n > 0; --n) {
    const int64_t next = a + b;
    a = b;
    b = next;
  }
  return a;
}

// Every call with n >= 2 spawns once.
constexpr int64_t fib_spawns(int64_t n) { return fib_value(n + 1) - 1; }

}  // namespace weft::bench
