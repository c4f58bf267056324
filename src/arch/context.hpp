// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses how one flow of execution is suspended and another resumed, by instruction set.
//
// Each choice defines, in namespace weft::rt::arch, the same four names:
//
//   struct context
//     Where a suspended flow goes on. The caller stores it; it is written when its flow is
//     suspended and read when the flow is resumed, both by the thread that switches. It does not
//     move while suspended.
//
//   void make_context(context& c, void* stack_top, void (*entry)() noexcept) noexcept
//     The first switch to c calls entry at the base of the stack that ends at stack_top, with
//     16-byte alignment as at any call. entry never returns. A backtrace ends below entry. (By hand
//     written assembly: touches no byte of the stack. Portable: writes below stack_top.)
//
//   carried switch_context(context& from, context& to, void* place = nullptr,
//                          std::uint64_t value = 0) noexcept
//     Saves the running flow in from, then resumes to, which is given two words. Returns when
//     somebody resumes from, perhaps on another thread, with what that one gave. from and to are
//     different objects. A fresh context is given nothing.
//
//   [[noreturn]] void jump_context(context& to) noexcept
//     The same without a from, and with nothing given: the running flow ends here, its stack is
//     free once to runs. No destructor of the frames on it runs.
//
// What a switch keeps: every register that a compiler may hold a value in. What it does not keep:
// the floating point control words (MXCSR, x87, FPCR; see arch/fp_control.hpp), which stay as the
// thread has them, and the signal mask. (Portable differs in both, as its header says.)
//
// A suspended leaf frame may hold data in the red zone, red_zone_bytes below its stack pointer: who
// gives back or overwrites memory below a suspended stack must leave these bytes alone.
//
// Every switch of stacks is told to the sanitizers: see arch/fiber_notes.hpp.
#pragma once

#if defined(WEFT_PORTABLE_SWITCH)
#include "arch/portable/context.hpp"
#elif defined(__x86_64__) && defined(__LP64__)
#include "arch/x86_64/context.hpp"
#elif defined(__aarch64__) && defined(__LP64__) && !defined(__AARCH64EB__)
#include "arch/aarch64/context.hpp"
#else
#include "arch/portable/context.hpp"
#endif
