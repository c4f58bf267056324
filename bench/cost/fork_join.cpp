// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one fork and join of weft.hpp: Fibonacci of SIZE without a cut-off.
#include <weft/weft.hpp>

#include "fibonacci.hpp"

using namespace weft::cost;

namespace {

intptr_t fib(intptr_t n) {
  if (n < 2) return n;
  const auto [a, b] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, count_forks<fib>); }
