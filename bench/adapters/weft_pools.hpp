// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of Weft in the layouts that were measured of Argobots: a pool for each worker, or one for
// all (BENCH_SHARED); tasks, or stackless ones for what never waits (BENCH_TASKLETS).
//
// Castelló et al., "Analysis of Threading Libraries for High Performance Computing", IEEE
// Transactions on Computers 69(9), 2020, section 5.5. With a pool each the maker deals its units
// out, and workers take nothing else.
#pragma once

#include <vector>

#include "adapters/queues.hpp"
#include "harness/weft_measure.hpp"

namespace weft::bench {

#ifdef BENCH_SHARED
inline constexpr bool one_pool = true;
#else
inline constexpr bool one_pool = false;
#endif
#ifdef BENCH_TASKLETS
inline constexpr uint32_t leaf_flags = WEFT_SPAWN_STACKLESS;
#else
inline constexpr uint32_t leaf_flags = 0;
#endif

inline std::vector<weft_pool_t> pools;  // of each worker

template <uint32_t Flags>
class unit_in_pool {
 public:
  template <void (*Run)(void*)>
  void spawn(void* arg) {
    spawn_on<Run>(weft_worker_index(), arg);
  }

  template <void (*Run)(void*)>
  void spawn_on(uint32_t worker, void* arg) {
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.flags = Flags;
    how.worker = pools[worker];
    must(weft_task_spawn_with(
             [](void* a) -> void* {
               Run(a);
               return nullptr;
             },
             arg, &how, &self_),
         "weft_task_spawn_with");
  }

  void join() { must(weft_task_join(self_, nullptr), "weft_task_join"); }

 private:
  weft_task_t self_ = nullptr;
};

using unit = unit_in_pool<0>;
using leaf = unit_in_pool<leaf_flags>;

inline weft_pool_t make_pool() {
  weft_pool_config_t config{};
  config.size = sizeof config;
  config.access = one_pool ? WEFT_POOL_SHARED : WEFT_POOL_ONE_CONSUMER;
  weft_pool_t pool = 0;
  must(weft_pool_create(&config, &pool), "weft_pool_create");
  return pool;
}

inline void serve(uint32_t worker) {
  weft_scheduler_config_t config{};
  config.size = sizeof config;
  config.pools = &pools[worker];
  config.count = 1;
  config.flags = WEFT_SCHEDULER_ALONE;
  weft_scheduler_t scheduler = nullptr;
  must(weft_scheduler_create(&config, &scheduler), "weft_scheduler_create");
  must(weft_worker_set_scheduler(worker, scheduler), "weft_worker_set_scheduler");
  must(weft_scheduler_free(scheduler), "weft_scheduler_free");  // its worker holds it
}

// Takes the samples on the thread that started Weft, after one that is not counted.
template <class Body>
void measure(report& out, Body body, queues /*kind*/ = queues::own) {
  start(out);
  for (uint32_t w = 0; w < out.opt().workers; ++w)
    pools.push_back(one_pool && w > 0 ? pools[0] : make_pool());
  for (uint32_t w = 0; w < out.opt().workers; ++w) serve(w);
  body();
  while (out.more()) out.add(body());
  weft_stats_t stats{};
  stats.size = sizeof stats;
  must(weft_stats_read(&stats), "weft_stats_read");
  out.check("steals", stats.steals, uint64_t{0});
  out.note("from the thread that started Weft");
  stop(out);
}

}  // namespace weft::bench
