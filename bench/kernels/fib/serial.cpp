// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci as plain recursive calls.
#include "harness/serial.hpp"

#include "timed.hpp"

using namespace weft::bench;

namespace {

int64_t fib(int64_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  measure(out, timed(out, fib));
  return out.finish();
}
