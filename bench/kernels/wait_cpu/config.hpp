// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of many threads that all wait, as many in each primitive, while nobody wakes them.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t waiters_full = 100'000;
inline constexpr int64_t waiters_quick = 10'000;
inline constexpr int64_t watch_ms_full = 5'000;
inline constexpr int64_t watch_ms_quick = 1'000;
inline constexpr int64_t settle_ms = 1'000;

}  // namespace weft::bench
