// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search with one Weft task per node.
#include "harness/weft.hpp"

#include "tree.hpp"

using namespace weft::bench;

namespace {

// Takes a node, gives the number of nodes in its subtree.
void* visit(void* arg) {
  const node& me = *static_cast<const node*>(arg);
  const uint32_t count = child_count(me);
  if (count == 0) return reinterpret_cast<void*>(intptr_t{1});
  const family<weft_task_t> children(me, count);
  must(weft_task_spawn_many(visit, children.nodes.get(), sizeof(node), count, children.extra.get()),
       "weft_task_spawn_many");
  intptr_t total = 1;
  for (uint32_t i = count; i-- > 0;) {  // newest first: each is called on this stack
    void* below = nullptr;
    must(weft_task_join(children.extra[i], &below), "weft_task_join");
    total += reinterpret_cast<intptr_t>(below);
  }
  return reinterpret_cast<void*>(total);
}

int64_t start_at(node root) { return reinterpret_cast<intptr_t>(visit(&root)); }

}  // namespace

int main(int argc, char** argv) { return uts_main(argc, argv, start_at); }
