// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads of the operating system that yield to each other on one processor.
#include <pthread.h>
#include <sched.h>

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
  yield_loop(*p.shared, p.me, p.count, [] { sched_yield(); });
  return nullptr;
}

// Leaves this process the processor it runs on now and no other.
void stay_here() {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  if (sched_setaffinity(0, sizeof here, &here) != 0) die("sched_setaffinity failed");
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = yields_quick;
  stay_here();
  int64_t switches = 0;
  int64_t yields = 0;
  while (out.more()) {
    turns shared;
    player players[2] = {{&shared, 0, total / 2}, {&shared, 1, total / 2}};
    pthread_t threads[2];
    const stopwatch watch;
    for (int i = 0; i < 2; ++i) {
      if (pthread_create(&threads[i], nullptr, play, &players[i]) != 0)
        die("pthread_create failed");
    }
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
    out.add(watch.ns() / static_cast<double>(total));
    yields += total;
    switches += shared.switches.load();
    out.check("some yields switched", shared.switches.load() > 0, true);
  }
  const double percent = 100.0 * static_cast<double>(switches) / static_cast<double>(yields);
  out.note(figure(percent) + " % of the yields switched");
  return out.finish();
}
