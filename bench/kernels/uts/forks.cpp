// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search, by any runtime whose adapter offers all(count, f).
#include BENCH_ADAPTER

#include "tree.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const node& me) {
  const uint32_t count = child_count(me);
  if (count == 0) return 1;
  const family<int64_t> children(me, count);
  all(count, [&children](uint32_t i) { children.extra[i] = visit(children.nodes[i]); });
  int64_t total = 1;
  for (uint32_t i = 0; i < count; ++i) total += children.extra[i];
  return total;
}

}  // namespace

int main(int argc, char** argv) { return uts_main(argc, argv, visit); }
