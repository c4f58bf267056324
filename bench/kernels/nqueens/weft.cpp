// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens with one Weft task per queen placed.
#include "harness/weft.hpp"

#include "queens.hpp"

using namespace weft::bench;

namespace {

// Takes a board, gives its number of solutions.
void* visit(void* arg) {
  const board& me = *static_cast<const board*>(arg);
  if (me.full()) return reinterpret_cast<void*>(intptr_t{1});
  board next[n_max];
  weft_task_t tasks[n_max];
  const int count = me.expand(next);
  must(weft_task_spawn_many(visit, next, sizeof next[0], static_cast<size_t>(count), tasks),
       "weft_task_spawn_many");
  intptr_t total = 0;
  for (int i = count; i-- > 0;) {  // newest first: each is called on this stack
    void* found = nullptr;
    must(weft_task_join(tasks[i], &found), "weft_task_join");
    total += reinterpret_cast<intptr_t>(found);
  }
  return reinterpret_cast<void*>(total);
}

int64_t start_at(board empty) { return reinterpret_cast<intptr_t>(visit(&empty)); }

}  // namespace

int main(int argc, char** argv) { return nqueens_main(argc, argv, start_at); }
