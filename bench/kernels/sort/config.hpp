// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting a file of numbers, one in each line, by parallel merge sort.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t numbers_full = 4'000'000;
inline constexpr int64_t numbers_quick = 400'000;
inline constexpr int64_t sort_cutoff = 2'048;   // below it, the library's serial sort
inline constexpr int64_t merge_cutoff = 8'192;  // below it, a serial merge

}  // namespace weft::bench
