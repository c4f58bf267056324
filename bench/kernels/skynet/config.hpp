// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet: a tree of tasks, ten children each, whose million leaves give their numbers to add up.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t children = 10;
inline constexpr int64_t leaves_full = 1'000'000;
inline constexpr int64_t leaves_quick = 10'000;

}  // namespace weft::bench
