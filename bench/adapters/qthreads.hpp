// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of Qthreads: qthreads with a full/empty word each, by which they are joined. Those that
// never wait are "simple", as the manual of qthread_spawn advises: they run on the stack of their
// worker.
//
// One shepherd a worker for its default scheduler, which steals nothing: qthread_fork deals units
// out in turn. All workers in one shepherd for the scheduler sherwood (BENCH_SHERWOOD), in which
// they share one stack of work.
#pragma once

#include <cstdlib>
#include <qthread/qthread.h>
#include <string>

#include "adapters/queues.hpp"
#include "harness/report.hpp"

namespace weft::bench {

inline constexpr const char* how = "from the main thread";

#ifdef BENCH_SHERWOOD
inline constexpr bool one_shepherd = true;
#else
inline constexpr bool one_shepherd = false;
#endif

inline void start_runtime(uint32_t workers) {
  setenv("QT_NUM_SHEPHERDS", std::to_string(one_shepherd ? 1 : workers).c_str(), 1);
  setenv("QT_NUM_WORKERS_PER_SHEPHERD", std::to_string(one_shepherd ? workers : 1).c_str(), 1);
  setenv("QT_HWPAR", std::to_string(workers).c_str(), 1);
  if (unit_stack_bytes != 0) setenv("QT_STACK_SIZE", std::to_string(unit_stack_bytes).c_str(), 1);
  if (qthread_initialize() != QTHREAD_SUCCESS) die("qthread_initialize failed");
  if (qthread_num_workers() != workers) die("Qthreads gives another number of workers");
}

template <class Body>
void in_runtime(uint32_t workers, queues /*kind*/, Body body) {
  start_runtime(workers);
  body();
  qthread_finalize();
}

template <void (*Run)(void*)>
aligned_t qthread_function(void* arg) {
  Run(arg);
  return 0;
}

class unit {
 public:
  template <void (*Run)(void*)>
  void spawn(void* arg) {
    if (qthread_fork(qthread_function<Run>, arg, &done_) != QTHREAD_SUCCESS)
      die("qthread_fork failed");
  }

  template <void (*Run)(void*)>
  void spawn_on(uint32_t worker, void* arg) {
    const auto shepherd = static_cast<qthread_shepherd_id_t>(one_shepherd ? 0 : worker);
    if (qthread_fork_to(qthread_function<Run>, arg, &done_, shepherd) != QTHREAD_SUCCESS)
      die("qthread_fork_to failed");
  }

  void join() { qthread_readFF(nullptr, &done_); }

 private:
  aligned_t done_ = 0;
};

class leaf {
 public:
  template <void (*Run)(void*)>
  void spawn_on(uint32_t worker, void* arg) {
    const auto shepherd = static_cast<qthread_shepherd_id_t>(one_shepherd ? 0 : worker);
    if (qthread_spawn(qthread_function<Run>, arg, 0, &done_, 0, nullptr, shepherd,
                      QTHREAD_SPAWN_SIMPLE) != QTHREAD_SUCCESS)
      die("qthread_spawn failed");
  }

  void join() { qthread_readFF(nullptr, &done_); }

 private:
  aligned_t done_ = 0;
};

inline void yield() { qthread_yield(); }

class unit_mutex {
 public:
  void lock() { qthread_lock(&self_); }
  void unlock() { qthread_unlock(&self_); }

 private:
  aligned_t self_ = 0;
};

class unit_semaphore {
 public:
  unit_semaphore() { qthread_empty(&self_); }
  ~unit_semaphore() { qthread_fill(&self_); }
  unit_semaphore(const unit_semaphore&) = delete;
  unit_semaphore& operator=(const unit_semaphore&) = delete;
  void wait() { qthread_readFE(nullptr, &self_); }
  void post() { qthread_fill(&self_); }

 private:
  aligned_t self_ = 0;
};

}  // namespace weft::bench

#include "adapters/units.hpp"
