// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search with one Lace task per node.
#include "adapters/lace.hpp"

#include "tree.hpp"

using namespace weft::bench;

TASK_1(int64_t, visit, node, me) {
  const uint32_t count = child_count(me);
  int64_t total = 1;
  for (uint32_t i = 1; i < count; ++i) SPAWN(visit, child_node(me, i));
  if (count > 0) total += CALL(visit, child_node(me, 0));
  for (uint32_t i = 1; i < count; ++i) total += SYNC(visit);
  return total;
}

int main(int argc, char** argv) {
  return uts_main(argc, argv, [](node root) { return RUN(visit, root); });
}
