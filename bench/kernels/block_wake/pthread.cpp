// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads of the operating system that wake each other through semaphores of the C library.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "config.hpp"

using namespace weft::bench;

namespace {

struct pair {
  sem_t semaphores[2];
  turns shared;
  int64_t each = 0;
};

struct player {
  pair* both;
  int64_t me;
};

void* play(void* arg) {
  const player& p = *static_cast<const player*>(arg);
  for (int64_t i = 0; i < p.both->each; ++i) {
    while (sem_wait(&p.both->semaphores[p.me]) != 0) {
    }
    p.both->shared.take(p.me);
    sem_post(&p.both->semaphores[1 - p.me]);
  }
  return nullptr;
}

// The i'th of the processors allowed to this process; the last if there are not so many.
cpu_set_t processor(int i) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) die("sched_getaffinity failed");
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && i >= 0; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    --i;
  }
  return one;
}

pthread_t start(player& p) {
  pthread_attr_t how;
  if (pthread_attr_init(&how) != 0) die("pthread_attr_init failed");
  const cpu_set_t own = processor(static_cast<int>(p.me));
  if (apart && pthread_attr_setaffinity_np(&how, sizeof own, &own) != 0)
    die("pthread_attr_setaffinity_np failed");
  pthread_t thread;
  if (pthread_create(&thread, &how, play, &p) != 0) die("pthread_create failed");
  pthread_attr_destroy(&how);
  return thread;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = turns_quick;
  while (out.more()) {
    pair both;
    for (sem_t& s : both.semaphores) sem_init(&s, 0, 0);
    both.each = total / 2;
    player players[2] = {{&both, 0}, {&both, 1}};
    pthread_t threads[2];
    const stopwatch watch;
    for (int i = 0; i < 2; ++i) threads[i] = start(players[i]);
    sem_post(&both.semaphores[0]);
    for (const pthread_t t : threads) pthread_join(t, nullptr);
    out.add(watch.ns() / static_cast<double>(total));
    out.check("turns", both.shared.taken, total);
    out.check("turns out of turn", both.shared.out_of_turn, int64_t{0});
  }
  out.note(apart ? "each bound to a processor"
                 : "the system schedules them on the processors allowed");
  return out.finish();
}
