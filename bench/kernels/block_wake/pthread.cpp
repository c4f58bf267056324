// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads of the operating system that wake each other through semaphores of the C library.
#include <pthread.h>
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
    for (int i = 0; i < 2; ++i)
      if (pthread_create(&threads[i], nullptr, play, &players[i]) != 0)
        die("pthread_create failed");
    sem_post(&both.semaphores[0]);
    for (const pthread_t t : threads) pthread_join(t, nullptr);
    out.add(watch.ns() / static_cast<double>(total));
    out.check("turns", both.shared.taken, total);
    out.check("turns out of turn", both.shared.out_of_turn, int64_t{0});
  }
  out.note("the system schedules them on the processors allowed");
  return out.finish();
}
