// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci of SIZE without a cut-off, for the programs that count the instructions of forks.
#pragma once

#include "cost.hpp"

namespace weft::cost {

// Checks what a program says that fib(n) is; gives the number of calls above the leaves, fib(n + 1)
// - 1.
inline intptr_t calls_above_leaves(intptr_t n, intptr_t fib_of_n) {
  intptr_t a = 0;
  intptr_t b = 1;
  for (intptr_t i = 0; i < n; ++i) {
    const intptr_t next = a + b;
    a = b;
    b = next;
  }
  if (fib_of_n != a) std::exit(1);
  return b - 1;
}

// Runs fib; gives the number of forks: one for every call above the leaves.
template <intptr_t (*Fib)(intptr_t)>
void* count_forks(void* arg) {
  const intptr_t n = reinterpret_cast<intptr_t>(arg);
  return reinterpret_cast<void*>(calls_above_leaves(n, Fib(n)));
}

}  // namespace weft::cost
