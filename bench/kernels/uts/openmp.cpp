// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search with one OpenMP task per node.
#include "harness/openmp.hpp"

#include "tree.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const node& me) {
  const uint32_t count = child_count(me);
  if (count == 0) return 1;
  const family<int64_t> children(me, count);
  for (uint32_t i = 0; i < count; ++i) {
    const node* const child = &children.nodes[i];
    int64_t* const below = &children.extra[i];
#pragma omp task default(none) firstprivate(child, below)
    *below = visit(*child);
  }
#pragma omp taskwait
  int64_t total = 1;
  for (uint32_t i = 0; i < count; ++i) total += children.extra[i];
  return total;
}

}  // namespace

int main(int argc, char** argv) { return uts_main(argc, argv, visit); }
