// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of a producer and a consumer, each with one cell between them, one item at a time.
#pragma once

#include <cstdint>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t pairs = 4;
inline constexpr int64_t items_full = 500'000;  // of each pair
inline constexpr int64_t items_quick = 50'000;

}  // namespace weft::bench
