// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet with one Weft task per node.
#include "harness/weft.hpp"

#include "leaves.hpp"

using namespace weft::bench;

namespace {

// Takes a range of leaves, gives the sum of their numbers.
void* visit(void* arg) {
  const range& me = *static_cast<const range*>(arg);
  if (me.leaves == 1) return reinterpret_cast<void*>(static_cast<intptr_t>(me.first));
  range below[children];
  weft_task_t tasks[children];
  for (int64_t i = 0; i < children; ++i) below[i] = me.child(i);
  must(weft_task_spawn_many(visit, below, sizeof below[0], children, tasks),
       "weft_task_spawn_many");
  intptr_t sum = 0;
  for (int64_t i = children; i-- > 0;) {  // newest first: each is called on this stack
    void* value = nullptr;
    must(weft_task_join(tasks[i], &value), "weft_task_join");
    sum += reinterpret_cast<intptr_t>(value);
  }
  return reinterpret_cast<void*>(sum);
}

int64_t start_at(range all) { return reinterpret_cast<intptr_t>(visit(&all)); }

}  // namespace

int main(int argc, char** argv) { return skynet_main(argc, argv, start_at); }
