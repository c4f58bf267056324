// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a task that is spawned and not yet started, while the only worker goes on spawning.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t tasks_full = 1'000'000;
inline constexpr int64_t tasks_quick = 100'000;

}  // namespace weft::bench
