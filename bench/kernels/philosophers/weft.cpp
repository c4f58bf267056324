// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philosophers that are Weft tasks, forks that are mutexes.
#include "harness/weft.hpp"

#include "config.hpp"

using namespace weft::bench;

namespace {

struct dinner {
  table shared;
  std::vector<weft_mutex_t> forks =
      std::vector<weft_mutex_t>(static_cast<size_t>(philosophers), weft_mutex_t WEFT_MUTEX_INIT);
  int64_t meals = 0;
};

struct philosopher {
  dinner* at;
  int64_t who;
};

void* dine(void* arg) {
  const philosopher& p = *static_cast<const philosopher*>(arg);
  weft_mutex_t* first = &p.at->forks[static_cast<size_t>(table::lower(p.who))];
  weft_mutex_t* second = &p.at->forks[static_cast<size_t>(table::upper(p.who))];
  for (int64_t i = 0; i < p.at->meals; ++i) {
    must(weft_mutex_lock(first), "weft_mutex_lock");
    must(weft_mutex_lock(second), "weft_mutex_lock");
    p.at->shared.eat(p.who);
    must(weft_mutex_unlock(second), "weft_mutex_unlock");
    must(weft_mutex_unlock(first), "weft_mutex_unlock");
    must(weft_task_yield(), "weft_task_yield");
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? meals_quick : meals_full;
  measure(out, [&] {
    dinner d;
    d.meals = total / philosophers;
    std::vector<philosopher> all;
    for (int64_t i = 0; i < philosophers; ++i) all.push_back({&d, i});
    std::vector<weft_task_t> tasks(all.size());
    const stopwatch watch;
    must(weft_task_spawn_many(dine, all.data(), sizeof all[0], all.size(), tasks.data()),
         "weft_task_spawn_many");
    must(weft_task_join_many(tasks.data(), tasks.size(), nullptr), "weft_task_join_many");
    const double sample = watch.ns() / static_cast<double>(d.meals * philosophers);
    d.shared.check(out, d.meals);
    return sample;
  });
  return out.finish();
}
