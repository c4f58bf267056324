// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two units that yield to each other on one worker, by any runtime whose adapter offers them.
#include BENCH_ADAPTER

#include "config.hpp"

using namespace weft::bench;

namespace {

struct player {
  turns* shared;
  int64_t me;
  int64_t count;
};

void play(void* arg) {
  const player& p = *static_cast<const player*>(arg);
  yield_loop(*p.shared, p.me, p.count, [] { yield(); });
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? yields_quick : yields_full;
  const auto sample = [&] {
    turns shared;
    player players[2] = {{&shared, 0, total / 2}, {&shared, 1, total / 2}};
    unit units[2];
    const stopwatch watch;
    for (int i = 0; i < 2; ++i) units[i].spawn_on<play>(0, &players[i]);
    for (unit& u : units) u.join();
    const double ns = watch.ns() / static_cast<double>(total);
    out.check("nine in ten yields switched", shared.switches.load() >= total / 10 * 9, true);
    return ns;
  };
  measure(out, sample, queues::own);
  return out.finish();
}
