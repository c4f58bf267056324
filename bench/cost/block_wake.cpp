// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one wake and block between two tasks on one worker: SIZE turns each.
#include "cost.hpp"

using namespace weft::cost;

namespace {

weft_semaphore_t semaphores[2] = {WEFT_SEMAPHORE_INIT(0), WEFT_SEMAPHORE_INIT(0)};

struct player {
  intptr_t me;
  intptr_t count;
};

void* play(void* arg) {
  const player& p = *static_cast<player*>(arg);
  for (intptr_t i = 0; i < p.count; ++i) {
    must(weft_semaphore_wait(&semaphores[p.me]));
    must(weft_semaphore_post(&semaphores[1 - p.me], 1));
  }
  return nullptr;
}

void* pair(void* arg) {
  const intptr_t count = reinterpret_cast<intptr_t>(arg);
  player players[2] = {{0, count}, {1, count}};
  weft_task_t tasks[2];
  must(weft_task_spawn_many(play, players, sizeof players[0], 2, tasks));
  must(weft_semaphore_post(&semaphores[0], 1));
  for (const weft_task_t task : tasks) must(weft_task_join(task, nullptr));
  return reinterpret_cast<void*>(2 * count);
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, pair); }
