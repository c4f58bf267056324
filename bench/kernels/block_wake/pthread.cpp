// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads of the operating system that wake each other through semaphores of the C library.
#include "config.hpp"
#include "harness/bound_thread.hpp"
#include "harness/pthread_gate.hpp"
#include "harness/turns_of_two.hpp"

using namespace weft::bench;

namespace {

using pair = pair_of<pthread_gate, turns>;
using player = player_of<pair>;

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = turns_quick;
  while (out.more()) {
    pair both;
    both.each = total / 2;
    player players[2] = {{&both, 0}, {&both, 1}};
    pthread_t threads[2];
    const stopwatch watch;
    for (int i = 0; i < 2; ++i) threads[i] = start_thread(player::run, &players[i], apart ? i : -1);
    both.gates[0].post();
    for (const pthread_t t : threads) pthread_join(t, nullptr);
    out.add(watch.ns() / static_cast<double>(total));
    out.check("turns", both.shared.taken, total);
    out.check("turns out of turn", both.shared.out_of_turn, int64_t{0});
  }
  out.note(apart ? "each bound to a processor"
                 : "the system schedules them on the processors allowed");
  return out.finish();
}
