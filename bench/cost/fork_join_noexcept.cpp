// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as fork_join.cpp of bodies that cannot throw: what the others pay on the path without an
// exception.
#include <weft/weft.hpp>

#include "fibonacci.hpp"

using namespace weft::cost;

namespace {

intptr_t fib(intptr_t n) noexcept {
  if (n < 2) return n;
  const auto [a, b] =
      weft::fork_join([n]() noexcept { return fib(n - 1); }, [n]() noexcept { return fib(n - 2); });
  return a + b;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, count_forks<fib>); }
