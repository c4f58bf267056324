// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci without a cut-off, one Lace task per spawn.
#include "adapters/lace.hpp"

#include "timed.hpp"

using namespace weft::bench;

TASK_1(int64_t, fib, int64_t, n) {
  if (n < 2) return n;
  SPAWN(fib, n - 1);
  const int64_t b = CALL(fib, n - 2);
  const int64_t a = SYNC(fib);
  return a + b;
}

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  measure(out, timed(out, [](int64_t n) { return RUN(fib, n); }));
  return out.finish();
}
