// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small questions to the CPU: a spin hint, the cheapest clock, the stack pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ctime>
#endif

#include "base/attributes.hpp"

namespace weft::rt::arch {

// Tells the CPU that this thread spins: saves power and leaves a sibling hyperthread the core.
WEFT_ALWAYS_INLINE void pause() noexcept {
#if defined(__x86_64__)
  asm volatile("pause" ::: "memory");
#elif defined(__aarch64__)
  asm volatile("isb" ::
                   : "memory");  // yield is a no-op on most cores; isb waits about as long as pause
#else
  asm volatile("" ::: "memory");
#endif
}

// The cheapest clock that goes forward on one CPU: for intervals and as a seed. The unit differs by
// CPU, two CPUs may disagree a little, and nothing orders it against the code around it.
WEFT_ALWAYS_INLINE std::uint64_t cycle_count() noexcept {
#if defined(__x86_64__)
  std::uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return std::uint64_t{high} << 32 | low;
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

// A hint that the line of an address is about to be written here: it is fetched as the only copy,
// meanwhile.
WEFT_ALWAYS_INLINE void prefetch_to_write(const void* at) noexcept {
#if defined(__x86_64__)
  asm volatile(
      "prefetchw %0" ::"m"(*static_cast<const char*>(at)));  // the builtin's fetches to read
#else
  __builtin_prefetch(at, 1);
#endif
}

// The stack pointer of the function that this is inlined into.
WEFT_ALWAYS_INLINE std::byte* stack_pointer() noexcept {
  std::byte* sp;
#if defined(__x86_64__)
  asm volatile("movq %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
  asm volatile("mov %0, sp" : "=r"(sp));
#else
  sp = static_cast<std::byte*>(__builtin_frame_address(0));
#endif
  return sp;
}

}  // namespace weft::rt::arch
