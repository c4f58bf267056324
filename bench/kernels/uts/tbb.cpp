// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search with one oneTBB task per node; the first child of each goes to
// run_and_wait, which takes no memory for it.
#include "harness/tbb.hpp"

#include <tbb/task_group.h>

#include "tree.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const node& me) {
  const uint32_t count = child_count(me);
  if (count == 0) return 1;
  const family<int64_t> children(me, count);
  tbb::task_group group;
  for (uint32_t i = 1; i < count; ++i) {
    const node* const child = &children.nodes[i];
    int64_t* const below = &children.extra[i];
    group.run([child, below] { *below = visit(*child); });
  }
  group.run_and_wait([&children] { children.extra[0] = visit(children.nodes[0]); });
  int64_t total = 1;
  for (uint32_t i = 0; i < count; ++i) total += children.extra[i];
  return total;
}

}  // namespace

int main(int argc, char** argv) { return uts_main(argc, argv, visit); }
