// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens by plain recursion.
#include "harness/serial.hpp"

#include "queens.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const board& me) {
  if (me.full()) return 1;
  board next[n_max];
  const int count = me.expand(next);
  int64_t total = 0;
  for (int i = 0; i < count; ++i) total += visit(next[i]);
  return total;
}

}  // namespace

int main(int argc, char** argv) { return nqueens_main(argc, argv, visit); }
