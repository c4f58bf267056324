// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of functions and branches, and the line size that false sharing is counted in.
#pragma once

#include <cstddef>

#define WEFT_ALWAYS_INLINE __attribute__((always_inline)) inline
#define WEFT_NOINLINE __attribute__((noinline))
// A path that runs seldom: out of line, away from the hot code.
#define WEFT_COLD __attribute__((noinline, cold))

// Where the program called an API function. In that function, which is not inlined into a caller
// even under LTO, or in what is always inlined into it.
#define WEFT_CALL_SITE __builtin_extract_return_addr(__builtin_return_address(0))

namespace weft::rt {

// Two lines, because x86-64 fetches lines in pairs.
inline constexpr std::size_t line_bytes = 64;

}  // namespace weft::rt
