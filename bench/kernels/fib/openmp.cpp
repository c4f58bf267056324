// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci without a cut-off, one OpenMP task per spawn.
#include "harness/openmp.hpp"

#include "timed.hpp"

using namespace weft::bench;

namespace {

int64_t fib(int64_t n) {
  if (n < 2) return n;
  int64_t a = 0;
#pragma omp task default(none) shared(a) firstprivate(n)
  a = fib(n - 1);
  const int64_t b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  measure(out, timed(out, fib));
  return out.finish();
}
