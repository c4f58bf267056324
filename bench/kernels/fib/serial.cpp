// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci as plain recursive calls.
#include "harness/serial.hpp"

#include "config.hpp"

using namespace weft::bench;

namespace {

int64_t fib(int64_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

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
