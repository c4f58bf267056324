// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prime sieve of channels: a thread per prime passes on what its prime does not divide.
//
// As in Hoare's Communicating Sequential Processes and Go's first example; channels have no buffer.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t limit_full = 7'919;    // the 1,000th prime
inline constexpr int64_t limit_quick = 1'223;   // the 200th
inline constexpr int64_t sum_full = 3'682'913;  // of all primes up to the limit
inline constexpr int64_t sum_quick = 111'587;

}  // namespace weft::bench
