// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of OpenCilk: cilk_spawn and cilk_sync, by its own compiler.
//
// Its runtime reads CILK_NWORKERS before main, so a process that was started without begins anew
// with it.
#pragma once

#include <cilk/cilk.h>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline void begin_with(uint32_t workers) {
  const std::string wanted = std::to_string(workers);
  const char* const given = std::getenv("CILK_NWORKERS");
  if (given != nullptr && given == wanted) return;
  setenv("CILK_NWORKERS", wanted.c_str(), 1);
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line{std::istreambuf_iterator<char>(file), {}};
  std::vector<char*> arguments;
  for (size_t at = 0; at < line.size(); at += std::char_traits<char>::length(&line[at]) + 1)
    arguments.push_back(&line[at]);
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
  die("it cannot be started anew with CILK_NWORKERS");
}

template <class Body>
void measure(report& out, Body body) {
  begin_with(out.opt().workers);
  body();
  while (out.more()) out.add(body());
  out.note("from main");
}

// Runs f() as a task beside g().
template <class F, class G>
void both(F f, G g) {
  cilk_spawn f();
  g();
  cilk_sync;
}

// Runs f(i) for each i below count as a task, and waits for all.
template <class F>
void all(uint32_t count, F f) {
  for (uint32_t i = 0; i < count; ++i) cilk_spawn f(i);
  cilk_sync;
}

}  // namespace weft::bench
