// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting Weft for a benchmark in C or C++, and running its body where users run theirs.
#pragma once

#include <cstring>
#include <vector>

#include <weft/weft.h>

#include "harness/report.hpp"

namespace weft::bench {

// A call of Weft that must succeed.
inline void must(int result, const char* what) {
  if (result < 0) [[unlikely]]
    die(std::string(what) + ": " + std::strerror(-result));
}

// Runs f() as a task of its own beside g(), and waits for it.
template <class F, class G>
void in_task_beside(F& f, G& g) {
  weft_task_t task = nullptr;
  must(weft_task_spawn(
           [](void* arg) -> void* {
             (*static_cast<F*>(arg))();
             return nullptr;
           },
           &f, &task),
       "weft_task_spawn");
  g();
  must(weft_task_join(task, nullptr), "weft_task_join");
}

// Runs f() as a task of its own and waits for it.
template <class F>
void in_task(F f) {
  auto nothing = [] {};
  in_task_beside(f, nothing);
}

inline void start(const report& out, size_t stack_bytes = 0) {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = out.opt().workers;
  config.stack_bytes = stack_bytes;
  must(weft_start(&config), "weft_start");
}

// Stops Weft; a task that is left over is a wrong answer.
inline void stop(report& out) {
  const int abandoned = weft_stop();
  must(abandoned, "weft_stop");
  out.check("abandoned stacks", abandoned, 0);
}

// Takes the samples of a program inside a task, after one that does not count.
template <class Body>
void measure(report& out, Body body) {
  start(out);
  in_task(body);
  while (out.more()) in_task([&] { out.add(body()); });
  out.note("in a task");
  stop(out);
}

// Takes the samples of a micro-benchmark inside a task, and beside each one on the thread that
// started Weft, whose median goes into the note: its task is sticky, on a stack of the OS.
template <class Body>
void measure_both(report& out, Body body) {
  start(out);
  in_task(body);  // warm-up
  std::vector<double> outside;
  while (out.more()) {
    outside.push_back(body());
    in_task([&] { out.add(body()); });
  }
  out.note("in a task; from the thread that started Weft " + figure(median(outside)));
  stop(out);
}

}  // namespace weft::bench
