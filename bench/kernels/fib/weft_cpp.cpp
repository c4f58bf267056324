// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci without a cut-off, one fork of weft.hpp per spawn.
#include "harness/weft_cpp.hpp"

#include "timed.hpp"

using namespace weft::bench;

namespace {

int64_t fib(int64_t n) {
  if (n < 2) return n;
  const auto [a, b] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  measure_both(out, timed(out, fib));
  return out.finish();
}
