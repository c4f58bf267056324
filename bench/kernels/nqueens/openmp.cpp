// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens with one OpenMP task per queen placed.
#include "harness/openmp.hpp"

#include "queens.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const board& me) {
  if (me.full()) return 1;
  board next[n_max];
  int64_t found[n_max];
  const int count = me.expand(next);
  for (int i = 0; i < count; ++i) {
#pragma omp task default(none) shared(next, found) firstprivate(i)
    found[i] = visit(next[i]);
  }
#pragma omp taskwait
  int64_t total = 0;
  for (int i = 0; i < count; ++i) total += found[i];
  return total;
}

}  // namespace

int main(int argc, char** argv) { return nqueens_main(argc, argv, visit); }
