// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of a runtime that has nothing to do, in percent of one processor.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t settle_ms = 300;  // workers may look for work for a while after the last
inline constexpr int64_t watch_ms = 2'000;
inline constexpr int64_t warm_tasks = 10'000;  // before that, so that every worker has been awake

}  // namespace weft::bench
