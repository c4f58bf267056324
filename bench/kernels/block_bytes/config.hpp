// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a blocked thread: block_bytes_100k and _1m, and the same after a warm-up (_warm).
//
// All threads are alive and blocked at once, then all are woken and joined. In the warm-up every
// thread writes 32 KiB of its stack, before it blocks and after it wakes, and ends: what it leaves
// behind must not make the threads that come after it dearer. The memory before the warm-up is the
// base line, so a runtime cannot hide what it keeps.
#pragma once

#include <cstdint>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t block_bytes_100k = 100'000;
inline constexpr int64_t block_bytes_1m = 1'000'000;
inline constexpr int64_t os_threads = 5'000;  // of the operating system, which soon refuses more
inline constexpr int64_t quick_divisor = 10;
inline constexpr int64_t block_stack_bytes = 65'536;
inline constexpr int64_t warm_bytes = 32'768;

inline constexpr bool warm = kernel_name.ends_with("_warm");
inline constexpr int64_t threads =
    kernel_name.starts_with("block_bytes_1m") ? block_bytes_1m : block_bytes_100k;

// Writes a byte in every page of the next 32 KiB of the stack.
[[gnu::noinline]] inline void go_deep() {
  char frame[warm_bytes];
  for (int64_t i = 0; i < warm_bytes; i += 1024) frame[i] = 1;
  asm volatile("" : : "r"(frame) : "memory");  // somebody may read it
}

}  // namespace weft::bench
