// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two Weft tasks that yield to each other on one worker.
#include "harness/weft.hpp"

#include "config.hpp"

using namespace weft::bench;

namespace {

struct player {
  turns* shared;
  int64_t me;
  int64_t count;
};

void* play(void* arg) {
  const player& p = *static_cast<const player*>(arg);
  yield_loop(*p.shared, p.me, p.count, [] { must(weft_task_yield(), "weft_task_yield"); });
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? yields_quick : yields_full;
  measure_both(out, [&] {
    turns shared;
    player players[2] = {{&shared, 0, total / 2}, {&shared, 1, total / 2}};
    weft_task_t tasks[2];
    const stopwatch watch;
    must(weft_task_spawn_many(play, players, sizeof players[0], 2, tasks), "weft_task_spawn_many");
    must(weft_task_join_many(tasks, 2, nullptr), "weft_task_join_many");
    const double sample = watch.ns() / static_cast<double>(total);
    // The first may yield before the second has started, and the last of one has no partner.
    out.check("all yields but 10 switched", shared.switches.load() >= total - 10, true);
    return sample;
  });
  return out.finish();
}
