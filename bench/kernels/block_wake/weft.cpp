// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two Weft tasks that wake each other through semaphores.
#include "harness/weft.hpp"

#include <cstdlib>

#include "config.hpp"

using namespace weft::bench;

namespace {

struct pair {
  weft_semaphore_t semaphores[2] = {WEFT_SEMAPHORE_INIT(0), WEFT_SEMAPHORE_INIT(0)};
  turns shared;
  int64_t each = 0;
};

struct player {
  pair* both;
  int64_t me;
};

void* play(void* arg) {
  const player& p = *static_cast<const player*>(arg);
  weft_semaphore_t* mine = &p.both->semaphores[p.me];
  weft_semaphore_t* other = &p.both->semaphores[1 - p.me];
  for (int64_t i = 0; i < p.both->each; ++i) {
    must(weft_semaphore_wait(mine), "weft_semaphore_wait");
    p.both->shared.take(p.me);
    must(weft_semaphore_post(other, 1), "weft_semaphore_post");
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick || asleep ? turns_quick : turns_full;
  if (asleep && setenv("WEFT_SPIN_US", "0", 1) != 0) die("setenv failed");
  measure(out, [&] {
    pair both;
    both.each = total / 2;
    player players[2] = {{&both, 0}, {&both, 1}};
    weft_task_t tasks[2];
    for (uint32_t i = 0; i < 2; ++i) {
      weft_spawn_t how = WEFT_SPAWN_INIT;
      if (apart) how.worker = i;
      must(weft_task_spawn_with(play, &players[i], &how, &tasks[i]), "weft_task_spawn_with");
    }
    const stopwatch watch;
    must(weft_semaphore_post(&both.semaphores[0], 1), "weft_semaphore_post");
    must(weft_task_join_many(tasks, 2, nullptr), "weft_task_join_many");
    const double sample = watch.ns() / static_cast<double>(total);
    out.check("turns", both.shared.taken, total);
    out.check("turns out of turn", both.shared.out_of_turn, int64_t{0});
    return sample;
  });
  return out.finish();
}
