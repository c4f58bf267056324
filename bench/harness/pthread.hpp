// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the system for each task, as a benchmark of forks needs it.
#pragma once

#include <system_error>
#include <thread>

#include "harness/small_stacks.hpp"

namespace weft::bench {

template <class Body>
void measure(report& out, Body body) {
  use_small_stacks();
  body();
  while (out.more()) out.add(body());
  out.note("a thread for each task; all processors take part");
}

// Runs f() in a thread beside g().
template <class F, class G>
void both(F f, G g) {
  try {
    std::thread beside(f);
    g();
    beside.join();
  } catch (const std::system_error& e) {
    die(std::string("no more threads: ") + e.what());
  }
}

}  // namespace weft::bench
