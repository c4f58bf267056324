// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ring of 503 threads that hand a token on; each hop wakes one thread and blocks another.
//
// As in the Computer Language Benchmarks Game: the token counts down, and the thread that receives
// 0 is the answer.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t ring_size = 503;
inline constexpr int64_t hops_full = 2'000'000;
inline constexpr int64_t hops_quick = 100'000;
inline constexpr int64_t os_hops_full = 200'000;
inline constexpr int64_t os_hops_quick = 20'000;
// For tasks that suspend themselves: to make their stacks takes long, and so does a hop.
inline constexpr int64_t suspend_hops_full = 500'000;
inline constexpr int64_t end_token = -1;  // goes round last: who receives it ends

// Thread 0 receives the token with the value hops.
constexpr int64_t ring_answer(int64_t hops) { return hops % ring_size; }

}  // namespace weft::bench
