// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of many threads that all sleep, from when the last lies down until before the
// first is due.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t sleepers_full = 100'000;
inline constexpr int64_t sleepers_quick = 10'000;
inline constexpr int64_t until_first_ms_full = 7'000;  // from the first spawn
inline constexpr int64_t until_first_ms_quick = 2'500;
inline constexpr int64_t watch_ms_full = 5'000;
inline constexpr int64_t watch_ms_quick = 1'500;
inline constexpr int64_t settle_ms = 300;
inline constexpr int64_t apart_ns = 1'000;  // from one deadline to the next

}  // namespace weft::bench
