// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A board with the queens of its first rows placed, as three sets of attacked columns.
#pragma once

#include "config.hpp"
#include "harness/report.hpp"

namespace weft::bench {

struct board {
  uint32_t columns;  // of the queens
  uint32_t left;     // attacked along one diagonal
  uint32_t right;    // attacked along the other
  uint32_t all;      // as many ones as the board has columns

  bool full() const { return columns == all; }

  // Writes every board with one more queen; gives their number.
  int expand(board (&next)[n_max]) const {
    int count = 0;
    for (uint32_t free = all & ~(columns | left | right); free != 0; free &= free - 1) {
      const uint32_t queen = free & (0u - free);
      next[count++] = {columns | queen, (left | queen) << 1, (right | queen) >> 1, all};
    }
    return count;
  }
};

// main for every runtime: solve(board) gives the number of solutions. The harness of the runtime
// comes before this file.
template <class Solve>
int nqueens_main(int argc, char** argv, Solve solve) {
  report out(argc, argv, "s");
  const int64_t n = out.opt().quick ? n_quick : n_full;
  const int64_t expected = out.opt().quick ? solutions_quick : solutions_full;
  measure(out, [&] {
    const stopwatch watch;
    const int64_t solutions = solve(board{0, 0, 0, (1u << n) - 1});
    const double sample = watch.seconds();
    out.check("solutions", solutions, expected);
    return sample;
  });
  return out.finish();
}

}  // namespace weft::bench
