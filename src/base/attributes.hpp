// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of functions and branches, and the line size that false sharing is counted in.
#pragma once

#include <cstddef>

#define WEFT_ALWAYS_INLINE __attribute__((always_inline)) inline
#define WEFT_NOINLINE __attribute__((noinline))
// A path that runs seldom: out of line, away from the hot code.
#define WEFT_COLD __attribute__((noinline, cold))

namespace weft::rt {

// Two lines, because x86-64 fetches lines in pairs.
inline constexpr std::size_t line_bytes = 64;

}  // namespace weft::rt
