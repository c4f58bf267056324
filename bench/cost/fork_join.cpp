// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one fork and join of weft.hpp: Fibonacci of SIZE without a cut-off.
#include <weft/weft.hpp>

#include "cost.hpp"

using namespace weft::cost;

namespace {

intptr_t fib(intptr_t n) {
  if (n < 2) return n;
  const auto [a, b] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// fib(n + 1) - 1 forks: one for every call above the leaves.
void* count(void* arg) {
  const intptr_t n = reinterpret_cast<intptr_t>(arg);
  intptr_t a = 0;
  intptr_t b = 1;
  for (intptr_t i = 0; i < n; ++i) {
    const intptr_t next = a + b;
    a = b;
    b = next;
  }
  if (fib(n) != a) std::exit(1);
  return reinterpret_cast<void*>(b - 1);
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, count); }
