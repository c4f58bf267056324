// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens with one oneTBB task per queen placed; the first child of each goes to run_and_wait,
// which takes no memory for it.
#include "harness/tbb.hpp"

#include <tbb/task_group.h>

#include "queens.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const board& me) {
  if (me.full()) return 1;
  board next[n_max];
  int64_t found[n_max];
  const int count = me.expand(next);
  if (count == 0) return 0;
  tbb::task_group group;
  for (int i = 1; i < count; ++i) {
    group.run([&next, &found, i] { found[i] = visit(next[i]); });
  }
  group.run_and_wait([&next, &found] { found[0] = visit(next[0]); });
  int64_t total = 0;
  for (int i = 0; i < count; ++i) total += found[i];
  return total;
}

}  // namespace

int main(int argc, char** argv) { return nqueens_main(argc, argv, visit); }
