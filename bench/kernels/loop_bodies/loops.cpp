// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of iterations from 1 ns to 100 us; the kernel's name says which.
#include BENCH_LOOPS

#include "bodies.hpp"
#include "loops/measure.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "s", [](report& out) { return body_loop(out); });
}
