// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer sort, classes S, W, A and B.
#include BENCH_LOOPS

#include "loops/measure.hpp"
#include "ranking.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "s", [](report& out) { return ranking(out); });
}
