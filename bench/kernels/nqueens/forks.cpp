// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens, by any runtime whose adapter offers all(count, f).
#include BENCH_ADAPTER

#include "queens.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const board& me) {
  if (me.full()) return 1;
  board next[n_max];
  int64_t found[n_max];
  const int count = me.expand(next);
  all(static_cast<uint32_t>(count), [&](uint32_t i) { found[i] = visit(next[i]); });
  int64_t total = 0;
  for (int i = 0; i < count; ++i) total += found[i];
  return total;
}

}  // namespace

int main(int argc, char** argv) { return nqueens_main(argc, argv, visit); }
