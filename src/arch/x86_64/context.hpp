// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context switch for x86-64 (System V ABI): three words saved, everything else clobbered.
//
// A context, offsets as x86_64/entry.S and the CFI below use them:
//
//      0  resume   address at which the flow goes on
//      8  rsp      its stack pointer there
//     16  rbp      its frame pointer there; in a fresh context: the entry function (see entry.S)
//
// The switch is inlined and clobbers every register, so the compiler saves what it really holds,
// next to the switch, and nothing else. It ends in an indirect jmp: a ret would be predicted to
// return to the flow that left, and miss. Nothing is pushed: the frame may be using the red zone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/carried.hpp"
#include "base/attributes.hpp"

namespace weft::rt::arch {

inline constexpr std::size_t red_zone_bytes = 128;

struct context {
  void* resume = nullptr;
  void* rsp = nullptr;
  void* rbp = nullptr;
};
static_assert(offsetof(context, resume) == 0 && offsetof(context, rsp) == 8 &&
              offsetof(context, rbp) == 16);

// In x86_64/entry.S; not callable: only a first switch goes there.
extern "C" __attribute__((visibility("hidden"))) const char weft_context_start[];

WEFT_ALWAYS_INLINE void make_context(context& c, void* stack_top,
                                     void (*entry)() noexcept) noexcept {
  c.resume = const_cast<char*>(weft_context_start);
  c.rsp =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(stack_top) & ~std::uintptr_t{15});
  c.rbp = reinterpret_cast<void*>(entry);
}

// Once rsp has changed, the frame that the compiler described is not the one rsp points into. From
// there to the jmp the code counts as a frame of its own, called by the flow that it resumes, whose
// registers lie in the context at rsi:
#if defined(__GCC_HAVE_DWARF2_CFI_ASM)
#define WEFT_CFI_RESUMING                                                                \
  ".cfi_escape 0x0f, 3, 0x74, 8, 6\n\t"  /* CFA: expression, breg4 (rsi) + 8, deref */   \
  ".cfi_escape 0x10, 16, 2, 0x74, 0\n\t" /* return address: stored at breg4 (rsi) + 0 */ \
  ".cfi_escape 0x10, 6, 2, 0x74, 16\n\t" /* rbp: stored at breg4 (rsi) + 16 */           \
  ".cfi_undefined rbx\n\t.cfi_undefined r12\n\t.cfi_undefined r13\n\t"                   \
  ".cfi_undefined r14\n\t.cfi_undefined r15\n\t"
#define WEFT_CFI_REMEMBER ".cfi_remember_state\n\t"
#define WEFT_CFI_RESTORE ".cfi_restore_state\n\t"
#else
#define WEFT_CFI_RESUMING ""
#define WEFT_CFI_REMEMBER ""
#define WEFT_CFI_RESTORE ""
#endif

// Where an indirect jmp may land when indirect branches are tracked.
#if defined(__CET__) && (__CET__ & 1)
#define WEFT_LANDING "endbr64\n\t"
#else
#define WEFT_LANDING ""
#endif

#if defined(__AVX512F__)
#define WEFT_CLOBBERS_AVX512                                                                    \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",   \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", \
      "k6", "k7"
#else
#define WEFT_CLOBBERS_AVX512
#endif

#if defined(__APX_F__)
#define WEFT_CLOBBERS_APX                                                                      \
  , "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", \
      "r29", "r30", "r31"
#else
#define WEFT_CLOBBERS_APX
#endif

WEFT_ALWAYS_INLINE carried switch_context(context& from, context& to, void* place = nullptr,
                                          std::uint64_t value = 0) noexcept {
  context* from_in_rdi = &from;
  context* to_in_rsi = &to;
  asm volatile(
      "leaq 1f(%%rip), %%rax\n\t"  // where this flow goes on
      "movq %%rax, 0(%%rdi)\n\t"   // from.resume
      "movq %%rsp, 8(%%rdi)\n\t"   // from.rsp
      "movq %%rbp, 16(%%rdi)\n\t"  // from.rbp: the one register that cannot be clobbered
      WEFT_CFI_REMEMBER            // the compiler's frame holds up to here
      "movq 8(%%rsi), %%rsp\n\t"   // onto the other stack
      WEFT_CFI_RESUMING            // a frame called by the other flow
      "movq 16(%%rsi), %%rbp\n\t"  // to.rbp
      "jmp *0(%%rsi)\n\t"          // to.resume
      WEFT_CFI_RESTORE             // the compiler's frame again
      "int3\n\t"                   // an unwinder looks up resume - 1: it must not find the jmp
      "1:\n\t"                     // some other flow has jumped here
      WEFT_LANDING
      : "+D"(from_in_rdi), "+S"(to_in_rsi), "+d"(place), "+c"(value)
      :
      : "rax", "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
        "xmm14", "xmm15", "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7", "st", "st(1)",
        "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "cc",
        "memory" WEFT_CLOBBERS_AVX512 WEFT_CLOBBERS_APX);
  return {place, value};
}

[[noreturn]] WEFT_ALWAYS_INLINE void jump_context(context& to) noexcept {
  asm volatile(WEFT_CFI_REMEMBER            // as in switch_context
               "movq 8(%%rsi), %%rsp\n\t"   // onto the other stack
               WEFT_CFI_RESUMING            // a frame called by the other flow
               "movq 16(%%rsi), %%rbp\n\t"  // to.rbp
               "jmp *0(%%rsi)\n\t"          // to.resume
               WEFT_CFI_RESTORE             // for what the compiler puts behind
               :
               : "S"(&to), "d"(nullptr)  // nothing is carried
               : "memory");
  __builtin_unreachable();
}

#undef WEFT_CFI_RESUMING
#undef WEFT_CFI_REMEMBER
#undef WEFT_CFI_RESTORE
#undef WEFT_LANDING
#undef WEFT_CLOBBERS_AVX512
#undef WEFT_CLOBBERS_APX

}  // namespace weft::rt::arch
