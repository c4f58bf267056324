// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens: every way to place N queens on an N x N board, one task per queen placed.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t n_full = 12;
inline constexpr int64_t n_quick = 10;
inline constexpr int64_t n_max = 16;
inline constexpr int64_t solutions_full = 14'200;  // OEIS A000170
inline constexpr int64_t solutions_quick = 724;

}  // namespace weft::bench
