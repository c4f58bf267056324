// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread sends numbers to another through a channel: without a buffer, and through one of 64.
#pragma once

#include <cstdint>

#include "harness/report.hpp"

namespace weft::bench {

// The capacity, under the kernel's name.
inline constexpr int64_t channel = 0;
inline constexpr int64_t channel_64 = 64;

inline constexpr int64_t values_full = 2'000'000;
inline constexpr int64_t values_quick = 200'000;

inline constexpr int64_t capacity = kernel_name == "channel" ? channel : channel_64;

// Of the numbers from 1 to count.
constexpr int64_t sum_of(int64_t count) { return count * (count + 1) / 2; }

}  // namespace weft::bench
