// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating point control (rounding, flush to zero, trap masks), for tasks that are spawned to keep
// it.
//
// A switch leaves it alone: saving it costs three times the switch. The sticky exception flags are
// not part of it and stay with the thread.
#pragma once

#include <cstdint>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

#include "base/attributes.hpp"

namespace weft::rt::arch {

#if defined(__x86_64__)

struct fp_control {
  std::uint32_t mxcsr;  // without the flags
  std::uint16_t x87;
};

inline constexpr std::uint32_t mxcsr_flags = 0x3f;

WEFT_ALWAYS_INLINE fp_control read_fp_control() noexcept {
  fp_control c;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(c.mxcsr), "=m"(c.x87));
  c.mxcsr &= ~mxcsr_flags;
  return c;
}

// "memory" keeps calculations that go through memory on their side; others the compiler may move,
// as around fesetround. The caller's switch, a call to the compiler, stops those.
WEFT_ALWAYS_INLINE void write_fp_control(const fp_control& c) noexcept {
  std::uint32_t now;
  asm volatile("stmxcsr %0" : "=m"(now));
  const std::uint32_t mxcsr = c.mxcsr | (now & mxcsr_flags);
  asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(c.x87) : "memory");
}

#elif defined(__aarch64__)

struct fp_control {
  std::uint64_t fpcr;
};

WEFT_ALWAYS_INLINE fp_control read_fp_control() noexcept {
  fp_control c;
  asm volatile("mrs %0, fpcr" : "=r"(c.fpcr));
  return c;
}

WEFT_ALWAYS_INLINE void write_fp_control(const fp_control& c) noexcept {
  asm volatile("msr fpcr, %0" : : "r"(c.fpcr) : "memory");
}

#else

struct fp_control {
  std::fenv_t environment;
};

inline fp_control read_fp_control() noexcept {
  fp_control c;
  std::fegetenv(&c.environment);
  return c;
}

// feupdateenv: the flags raised so far stay raised.
inline void write_fp_control(const fp_control& c) noexcept { std::feupdateenv(&c.environment); }

#endif

}  // namespace weft::rt::arch
