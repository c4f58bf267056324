// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lock, count, unlock: by one thread, and by eight that want the same mutex.
#pragma once

#include <cstdint>

#include "harness/report.hpp"

namespace weft::bench {

// So many threads, under the kernel's name.
inline constexpr int64_t mutex = 1;
inline constexpr int64_t mutex_contended = 8;

inline constexpr int64_t locks_full = 4'000'000;  // by all together
inline constexpr int64_t locks_quick = 400'000;

inline constexpr int64_t threads = kernel_name == "mutex" ? mutex : mutex_contended;

}  // namespace weft::bench
