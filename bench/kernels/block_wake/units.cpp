// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two units that wake each other through semaphores, by any runtime whose adapter offers them.
#include BENCH_ADAPTER

#include "config.hpp"
#include "harness/turns_of_two.hpp"

using namespace weft::bench;

namespace {

using pair = pair_of<unit_semaphore, turns>;
using player = player_of<pair>;

void play(void* arg) { static_cast<const player*>(arg)->play(); }

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? turns_quick : turns_full;
  const auto sample = [&] {
    pair both;
    both.each = total / 2;
    player players[2] = {{&both, 0}, {&both, 1}};
    unit units[2];
    for (uint32_t i = 0; i < 2; ++i) units[i].spawn_on<play>(apart ? i : 0, &players[i]);
    const stopwatch watch;
    both.gates[0].post();
    for (unit& u : units) u.join();
    const double ns = watch.ns() / static_cast<double>(total);
    out.check("turns", both.shared.taken, total);
    out.check("turns out of turn", both.shared.out_of_turn, int64_t{0});
    return ns;
  };
  measure(out, sample, queues::own);
  return out.finish();
}
