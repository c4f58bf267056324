// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One sample of every runtime's Fibonacci: its time for each spawn, and a look at the answer.
#pragma once

#include "config.hpp"
#include "harness/report.hpp"

namespace weft::bench {

// fib(n) as the runtime computes it; called where the runtime's tasks may run.
template <class Fib>
auto timed(report& out, Fib fib) {
  return [&out, fib, n = out.opt().quick ? n_quick : n_full] {
    const stopwatch watch;
    const int64_t result = fib(n);
    const double sample = watch.ns() / static_cast<double>(fib_spawns(n));
    out.check("fib", result, fib_value(n));
    return sample;
  };
}

}  // namespace weft::bench
