// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two Weft tasks on a worker each, which sleep as soon as they have nothing to do, and wake each
// other through semaphores.
#include <cstdlib>

#include "config.hpp"
#include "harness/turns_of_two.hpp"
#include "harness/weft_gate.hpp"

using namespace weft::bench;

namespace {

using pair = pair_of<weft_gate, turns>;
using player = player_of<pair>;

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns");
  const int64_t total = out.opt().quick ? turns_quick : turns_full;
  if (setenv("WEFT_SPIN_US", "0", 1) != 0) die("setenv failed");
  measure(out, [&] {
    pair both;
    both.each = total / 2;
    player players[2] = {{&both, 0}, {&both, 1}};
    weft_task_t tasks[2];
    for (uint32_t i = 0; i < 2; ++i) {
      weft_spawn_t how = WEFT_SPAWN_INIT;
      how.worker = i;
      must(weft_task_spawn_with(player::run, &players[i], &how, &tasks[i]), "weft_task_spawn_with");
    }
    both.shared.first();
    both.gates[0].post();
    must(weft_task_join_many(tasks, 2, nullptr), "weft_task_join_many");
    return both.shared.finish(out, total);
  });
  return out.finish();
}
