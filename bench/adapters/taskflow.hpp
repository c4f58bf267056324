// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of Taskflow: its task groups, made for recursion.
#pragma once

#include <taskflow/taskflow.hpp>

#include "harness/report.hpp"

namespace weft::bench {

inline tf::Executor* executor = nullptr;

template <class Body>
void measure(report& out, Body body) {
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
  group.silent_async(f);
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
