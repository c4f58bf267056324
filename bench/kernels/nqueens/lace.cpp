// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens with one Lace task per queen placed.
#include "adapters/lace.hpp"

#include "queens.hpp"

using namespace weft::bench;

TASK_1(int64_t, visit, board, me) {
  if (me.full()) return 1;
  board next[n_max];
  const int count = me.expand(next);
  int64_t total = 0;
  for (int i = 1; i < count; ++i) SPAWN(visit, next[i]);
  if (count > 0) total += CALL(visit, next[0]);
  for (int i = 1; i < count; ++i) total += SYNC(visit);
  return total;
}

int main(int argc, char** argv) {
  return nqueens_main(argc, argv, [](board empty) { return RUN(visit, empty); });
}
