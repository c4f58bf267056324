// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of Argobots: ULTs, or tasklets for those that never wait (BENCH_TASKLETS).
//
// As in its examples fibonacci.c and stencil_forkjoin*.c: an execution stream a worker; one private
// pool each where the kernel places its units, pools and schedulers of the kind RANDWS where work
// is to be stolen.
#pragma once

#include <abt.h>
#include <cstdlib>
#include <string>
#include <vector>

#include "adapters/queues.hpp"
#include "harness/report.hpp"

namespace weft::bench {

inline void must(int result, const char* what) {
  if (result != ABT_SUCCESS) [[unlikely]]
    die(std::string(what) + " failed: " + std::to_string(result));
}

#ifdef BENCH_TASKLETS
inline constexpr const char* how = "tasklets, from the primary ULT";
#else
inline constexpr const char* how = "from the primary ULT";
#endif

inline std::vector<ABT_pool> pools;

template <class Body>
void in_runtime(uint32_t workers, queues kind, Body body) {
  if (unit_stack_bytes != 0)
    setenv("ABT_THREAD_STACKSIZE", std::to_string(unit_stack_bytes).c_str(), 1);
  must(ABT_init(0, nullptr), "ABT_init");
  pools.resize(workers);
  std::vector<ABT_xstream> streams(workers);
  must(ABT_xstream_self(&streams[0]), "ABT_xstream_self");
  if (kind == queues::own) {
    for (uint32_t i = 1; i < workers; ++i)
      must(ABT_xstream_create(ABT_SCHED_NULL, &streams[i]), "ABT_xstream_create");
    for (uint32_t i = 0; i < workers; ++i)
      must(ABT_xstream_get_main_pools(streams[i], 1, &pools[i]), "ABT_xstream_get_main_pools");
  } else {
    for (ABT_pool& pool : pools)
      must(ABT_pool_create_basic(ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &pool),
           "ABT_pool_create_basic");
    for (uint32_t i = 0; i < workers; ++i) {
      std::vector<ABT_pool> mine_first;
      for (uint32_t k = 0; k < workers; ++k) mine_first.push_back(pools[(i + k) % workers]);
      ABT_sched sched = ABT_SCHED_NULL;
      must(ABT_sched_create_basic(ABT_SCHED_RANDWS, static_cast<int>(workers), mine_first.data(),
                                  ABT_SCHED_CONFIG_NULL, &sched),
           "ABT_sched_create_basic");
      if (i == 0) {
        must(ABT_xstream_set_main_sched(streams[0], sched), "ABT_xstream_set_main_sched");
      } else {
        must(ABT_xstream_create(sched, &streams[i]), "ABT_xstream_create");
      }
    }
  }
  body();
  for (uint32_t i = 1; i < workers; ++i) {
    must(ABT_xstream_join(streams[i]), "ABT_xstream_join");
    must(ABT_xstream_free(&streams[i]), "ABT_xstream_free");
  }
  must(ABT_finalize(), "ABT_finalize");
}

class unit {
 public:
  template <void (*Run)(void*)>
  void spawn(void* arg) {
    int here = 0;
    ABT_xstream_self_rank(&here);
    spawn_on<Run>(static_cast<uint32_t>(here), arg);
  }

  template <void (*Run)(void*)>
  void spawn_on(uint32_t worker, void* arg) {
    must(ABT_thread_create(pools[worker], Run, arg, ABT_THREAD_ATTR_NULL, &self_),
         "ABT_thread_create");
  }

  void join() { must(ABT_thread_free(&self_), "ABT_thread_free"); }

 private:
  ABT_thread self_ = ABT_THREAD_NULL;
};

#ifdef BENCH_TASKLETS
class leaf {
 public:
  template <void (*Run)(void*)>
  void spawn_on(uint32_t worker, void* arg) {
    must(ABT_task_create(pools[worker], Run, arg, &self_), "ABT_task_create");
  }

  void join() { must(ABT_task_free(&self_), "ABT_task_free"); }

 private:
  ABT_task self_ = ABT_TASK_NULL;
};
#else
using leaf = unit;
#endif

inline void yield() { ABT_thread_yield(); }

class unit_mutex {
 public:
  unit_mutex() { must(ABT_mutex_create(&self_), "ABT_mutex_create"); }
  ~unit_mutex() { ABT_mutex_free(&self_); }
  unit_mutex(const unit_mutex&) = delete;
  unit_mutex& operator=(const unit_mutex&) = delete;
  void lock() { ABT_mutex_lock(self_); }
  void unlock() { ABT_mutex_unlock(self_); }

 private:
  ABT_mutex self_ = ABT_MUTEX_NULL;
};

// One post at a time, as its users do: an eventual that is emptied again.
class unit_semaphore {
 public:
  unit_semaphore() { must(ABT_eventual_create(0, &self_), "ABT_eventual_create"); }
  ~unit_semaphore() { ABT_eventual_free(&self_); }
  unit_semaphore(const unit_semaphore&) = delete;
  unit_semaphore& operator=(const unit_semaphore&) = delete;
  void wait() {
    ABT_eventual_wait(self_, nullptr);
    ABT_eventual_reset(self_);
  }
  void post() { ABT_eventual_set(self_, nullptr, 0); }

 private:
  ABT_eventual self_ = ABT_EVENTUAL_NULL;
};

}  // namespace weft::bench

#include "adapters/units.hpp"
