// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One sample of a sieve: its time, and a look at the sum of the primes.
#pragma once

#include "config.hpp"
#include "harness/report.hpp"

namespace weft::bench {

// sieve(limit) as the runtime computes it; called where the runtime's tasks may run.
template <class Sieve>
auto timed(report& out, Sieve sieve) {
  return [&out, sieve, quick = out.opt().quick] {
    const stopwatch watch;
    const int64_t sum = sieve(quick ? limit_quick : limit_full);
    const double sample = watch.seconds();
    out.check("sum of the primes", sum, quick ? sum_quick : sum_full);
    return sample;
  };
}

}  // namespace weft::bench
