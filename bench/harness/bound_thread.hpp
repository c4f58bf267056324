// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the system that stays on one processor.
#pragma once

#include <pthread.h>
#include <sched.h>

#include "harness/report.hpp"

namespace weft::bench {

// The i'th of the processors allowed to this process; the last if there are not so many.
inline cpu_set_t processor(int64_t i) {
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

// Runs body(arg) in a thread that is bound to processor(i), or to none where that is less than 0.
inline pthread_t start_thread(void* (*body)(void*), void* arg, int64_t i) {
  pthread_attr_t how;
  if (pthread_attr_init(&how) != 0) die("pthread_attr_init failed");
  if (i >= 0) {
    const cpu_set_t own = processor(i);
    if (pthread_attr_setaffinity_np(&how, sizeof own, &own) != 0)
      die("pthread_attr_setaffinity_np failed");
  }
  pthread_t thread;
  if (pthread_create(&thread, &how, body, arg) != 0) die("pthread_create failed");
  pthread_attr_destroy(&how);
  return thread;
}

}  // namespace weft::bench
