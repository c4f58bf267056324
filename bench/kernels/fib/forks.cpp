// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci without a cut-off, by any runtime whose adapter offers both(f, g).
#include BENCH_ADAPTER

#include "timed.hpp"

using namespace weft::bench;

namespace {

int64_t fib(int64_t n) {
  if (n < 2) return n;
  int64_t a = 0;
  int64_t b = 0;
  both([&a, n] { a = fib(n - 1); }, [&b, n] { b = fib(n - 2); });
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  measure(out, timed(out, fib));
  return out.finish();
}
