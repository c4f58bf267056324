// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of Taskflow: its task groups, made for recursion.
//
// A worker that waits for a group runs whatever there is on top of its own stack: in UTS T3 more
// than the 8 MiB that threads have by default, so its workers get stacks that are reserved larger.
#pragma once

#include <pthread.h>
#include <taskflow/taskflow.hpp>

#include "harness/report.hpp"

namespace weft::bench {

inline tf::Executor* executor = nullptr;

inline void reserve_deep_stacks() {
  constexpr size_t bytes = size_t{1} << 30;
  pthread_attr_t deep;
  if (pthread_attr_init(&deep) != 0 || pthread_attr_setstacksize(&deep, bytes) != 0 ||
      pthread_setattr_default_np(&deep) != 0)
    die("threads with stacks of 1 GiB cannot be had");
  pthread_attr_destroy(&deep);
}

template <class Body>
void measure(report& out, Body body) {
  reserve_deep_stacks();
  tf::Executor mine(out.opt().workers);
  executor = &mine;
  mine.async([&] {
        body();
        while (out.more()) out.add(body());
      })
      .wait();
  out.note("in a task");
}

// Runs f() as a task beside g().
template <class F, class G>
void both(F f, G g) {
  tf::TaskGroup group = executor->task_group();
  group.silent_async([&f] { f(); });  // small enough to need no memory of its own
  g();
  group.corun();
}

// Runs f(i) for each i below count as a task, and waits for all.
template <class F>
void all(uint32_t count, F f) {
  tf::TaskGroup group = executor->task_group();
  for (uint32_t i = 0; i < count; ++i) group.silent_async([&f, i] { f(i); });
  group.corun();
}

}  // namespace weft::bench
