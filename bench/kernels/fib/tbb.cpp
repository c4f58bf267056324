// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci without a cut-off, one oneTBB task per spawn.
#include "harness/tbb.hpp"

#include "config.hpp"

using namespace weft::bench;

namespace {

int64_t fib(int64_t n) {
  if (n < 2) return n;
  int64_t a = 0;
  int64_t b = 0;
  tbb::parallel_invoke([&a, n] { a = fib(n - 1); }, [&b, n] { b = fib(n - 2); });
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t n = out.opt().quick ? n_quick : n_full;
  measure(out, [&] {
    const stopwatch watch;
    const int64_t result = fib(n);
    const double sample = watch.ns() / static_cast<double>(fib_spawns(n));
    out.check("fib", result, fib_value(n));
    return sample;
  });
  return out.finish();
}
