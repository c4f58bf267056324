// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context switch for every other instruction set, and for builds with WEFT_PORTABLE_SWITCH.
//
// Two ways, both in portable/context.cpp: the assembly of Boost.Context where the build found it
// (WEFT_HAVE_BOOST_CONTEXT), else ucontext. Both keep the saved registers on the suspended stack
// itself, so a context stays small. Differences from the switches written by hand:
//   - floating point control words follow the context, not the thread (on most instruction sets);
//   - ucontext saves and restores the signal mask too: two system calls a switch, and no way
//   around;
//   - a backtrace ends below entry, but how it looks there is up to the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/carried.hpp"
#include "base/attributes.hpp"

namespace weft::rt::arch {

// The switch is a call, so nothing lives below the stack pointer; 288 is the largest red zone of
// any ABI that Linux has (PowerPC64), kept in case a library's frame uses it.
inline constexpr std::size_t red_zone_bytes = 288;

struct context {
  void* saved = nullptr;               // the library's record, on the suspended stack
  void (*entry)() noexcept = nullptr;  // for the first switch to it
  carried brought;                     // by who resumes it
};

void make_context(context& c, void* stack_top, void (*entry)() noexcept) noexcept;

// Out of line, so that no register outlives them.
WEFT_NOINLINE carried portable_switch(context& from, context& to, void* place,
                                      std::uint64_t value) noexcept;
[[noreturn]] WEFT_NOINLINE void portable_jump(context& to) noexcept;

WEFT_ALWAYS_INLINE carried switch_context(context& from, context& to, void* place = nullptr,
                                          std::uint64_t value = 0) noexcept {
  return portable_switch(from, to, place, value);
}

[[noreturn]] WEFT_ALWAYS_INLINE void jump_context(context& to) noexcept { portable_jump(to); }

}  // namespace weft::rt::arch
