// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty operations that need not wait: word_pair, word_read_full and syncvar_pair.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t words = 1'024;  // used in turn, next to each other
inline constexpr int64_t rounds_full = 4'000;
inline constexpr int64_t rounds_quick = 400;

}  // namespace weft::bench
