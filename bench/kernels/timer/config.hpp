// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A timer that is armed and cancelled before it is due, as most deadlines are, while others are
// armed.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t pairs_full = 4'000'000;
inline constexpr int64_t pairs_quick = 400'000;
inline constexpr int64_t others_armed = 1'000;
inline constexpr int64_t soonest_ns = 1'000'000'000;  // nothing fires while it runs
inline constexpr int64_t spread_ns = 1'000'003;       // from one deadline to the next

}  // namespace weft::bench
