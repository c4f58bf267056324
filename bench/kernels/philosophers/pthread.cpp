// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philosophers that are threads of the operating system, forks that are mutexes of the C library.
#include <pthread.h>
#include <sched.h>

#include "config.hpp"
#include "harness/small_stacks.hpp"

using namespace weft::bench;

namespace {

struct dinner {
  table shared;
  std::vector<pthread_mutex_t> forks = std::vector<pthread_mutex_t>(
      static_cast<size_t>(philosophers), pthread_mutex_t PTHREAD_MUTEX_INITIALIZER);
  int64_t meals = 0;
};

struct philosopher {
  dinner* at;
  int64_t who;
};

void* dine(void* arg) {
  const philosopher& p = *static_cast<const philosopher*>(arg);
  pthread_mutex_t* first = &p.at->forks[static_cast<size_t>(table::lower(p.who))];
  pthread_mutex_t* second = &p.at->forks[static_cast<size_t>(table::upper(p.who))];
  for (int64_t i = 0; i < p.at->meals; ++i) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    p.at->shared.eat(p.who);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    sched_yield();
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = meals_quick;
  use_small_stacks();
  while (out.more()) {
    dinner d;
    d.meals = total / philosophers;
    std::vector<philosopher> all;
    for (int64_t i = 0; i < philosophers; ++i) all.push_back({&d, i});
    std::vector<pthread_t> threads(all.size());
    const stopwatch watch;
    for (size_t i = 0; i < all.size(); ++i)
      if (pthread_create(&threads[i], nullptr, dine, &all[i]) != 0) die("pthread_create failed");
    for (const pthread_t t : threads) pthread_join(t, nullptr);
    out.add(watch.ns() / static_cast<double>(d.meals * philosophers));
    d.shared.check(out, d.meals);
  }
  out.note("the system schedules them on the processors allowed");
  return out.finish();
}
