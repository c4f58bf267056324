// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context switch for AArch64 (AAPCS64, little endian): three words saved, everything else
// clobbered.
//
// A context, offsets as aarch64/entry.S and the CFI below use them:
//
//      0  resume   address at which the flow goes on
//      8  sp       its stack pointer there
//     16  x29      its frame pointer there; in a fresh context: the entry function (see entry.S)
//
// As in x86_64/context.hpp: inlined, nothing is pushed, what the compiler holds it saves itself
// (x19 to x28 and d8 to d15 are in the clobber list), and a br ends it because a ret would be
// mispredicted. Return addresses may be signed: each is checked with the stack pointer it was
// signed with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/carried.hpp"
#include "base/attributes.hpp"

namespace weft::rt::arch {

inline constexpr std::size_t red_zone_bytes = 0;

struct context {
  void* resume = nullptr;
  void* sp = nullptr;
  void* x29 = nullptr;
};
static_assert(offsetof(context, resume) == 0 && offsetof(context, sp) == 8 &&
              offsetof(context, x29) == 16);

// In aarch64/entry.S; not callable: only a first switch goes there.
extern "C" __attribute__((visibility("hidden"))) const char weft_context_start[];

WEFT_ALWAYS_INLINE void make_context(context& c, void* stack_top,
                                     void (*entry)() noexcept) noexcept {
  c.resume = const_cast<char*>(weft_context_start);
  c.sp = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(stack_top) & ~std::uintptr_t{15});
  c.x29 = reinterpret_cast<void*>(entry);
}

// With return address signing, the frame that inlines a switch has signed its own (the switch
// clobbers x30, so the frame saves it); the address in a context is not signed.
#if defined(__ARM_FEATURE_PAC_DEFAULT)
#define WEFT_CFI_UNSIGNED ".cfi_negate_ra_state\n\t"
#else
#define WEFT_CFI_UNSIGNED ""
#endif

// Once sp has changed, the frame that the compiler described is not the one it points into. From
// there to the br the code counts as a frame of its own, called by the flow that it resumes, whose
// registers lie in the context at x1:
#if defined(__GCC_HAVE_DWARF2_CFI_ASM)
#define WEFT_CFI_RESUMING                                                                    \
  ".cfi_escape 0x0f, 3, 0x71, 8, 6\n\t"   /* CFA: expression, breg1 (x1) + 8, deref */       \
  ".cfi_escape 0x10, 30, 2, 0x71, 0\n\t"  /* return address: stored at breg1 (x1) + 0 */     \
  ".cfi_escape 0x10, 29, 2, 0x71, 16\n\t" /* x29: stored at breg1 (x1) + 16 */               \
  ".cfi_undefined x19\n\t.cfi_undefined x20\n\t.cfi_undefined x21\n\t.cfi_undefined x22\n\t" \
  ".cfi_undefined x23\n\t.cfi_undefined x24\n\t.cfi_undefined x25\n\t.cfi_undefined x26\n\t" \
  ".cfi_undefined x27\n\t.cfi_undefined x28\n\t" WEFT_CFI_UNSIGNED
#define WEFT_CFI_REMEMBER ".cfi_remember_state\n\t"
#define WEFT_CFI_RESTORE ".cfi_restore_state\n\t"
#else
#define WEFT_CFI_RESUMING ""
#define WEFT_CFI_REMEMBER ""
#define WEFT_CFI_RESTORE ""
#endif

// Where an indirect br may land when branch targets are enforced: bti j, spelt for any assembler.
#if defined(__ARM_FEATURE_BTI_DEFAULT)
#define WEFT_LANDING "hint #36\n\t"
#else
#define WEFT_LANDING ""
#endif

#if defined(__ARM_FEATURE_SVE)
#define WEFT_CLOBBERS_SVE                                                                          \
  , "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", \
      "p15"
#else
#define WEFT_CLOBBERS_SVE
#endif

WEFT_ALWAYS_INLINE carried switch_context(context& from, context& to, void* place = nullptr,
                                          std::uint64_t value = 0) noexcept {
  register context* from_in_x0 asm("x0") = &from;
  register context* to_in_x1 asm("x1") = &to;
  register void* place_in_x4 asm("x4") = place;
  register std::uint64_t value_in_x5 asm("x5") = value;
  asm volatile(
      "adr x2, 1f\n\t"          // where this flow goes on
      "mov x3, sp\n\t"          // (sp cannot be stored directly)
      "stp x2, x3, [x0]\n\t"    // from.resume, from.sp
      "str x29, [x0, #16]\n\t"  // from.x29: the one register that cannot be clobbered
      "ldp x2, x3, [x1]\n\t"    // to.resume, to.sp
      WEFT_CFI_REMEMBER         // the compiler's frame holds up to here
      "mov sp, x3\n\t"          // onto the other stack
      WEFT_CFI_RESUMING         // a frame called by the other flow
      "ldr x29, [x1, #16]\n\t"  // to.x29
      "br x2\n\t"               // to.resume
      WEFT_CFI_RESTORE          // the compiler's frame again
      "brk #1\n\t"              // an unwinder looks up resume - 1: it must not find the br
      "1:\n\t"                  // some other flow has jumped here
      WEFT_LANDING
      : "+r"(from_in_x0), "+r"(to_in_x1), "+r"(place_in_x4), "+r"(value_in_x5)
      :
      : "x2", "x3", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
        "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0",
        "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
        "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",
        "v28", "v29", "v30", "v31", "cc", "memory" WEFT_CLOBBERS_SVE);
  return {place_in_x4, value_in_x5};
}

[[noreturn]] WEFT_ALWAYS_INLINE void jump_context(context& to) noexcept {
  register context* to_in_x1 asm("x1") = &to;
  register void* nothing_in_x4 asm("x4") = nullptr;
  asm volatile("ldp x2, x3, [x1]\n\t"    // to.resume, to.sp
               WEFT_CFI_REMEMBER         // as in switch_context
               "mov sp, x3\n\t"          // onto the other stack
               WEFT_CFI_RESUMING         // a frame called by the other flow
               "ldr x29, [x1, #16]\n\t"  // to.x29
               "br x2\n\t"               // to.resume
               WEFT_CFI_RESTORE          // for what the compiler puts behind
               :
               : "r"(to_in_x1), "r"(nothing_in_x4)
               : "x2", "x3", "x30", "memory");
  __builtin_unreachable();
}

#undef WEFT_CFI_UNSIGNED
#undef WEFT_CFI_RESUMING
#undef WEFT_CFI_REMEMBER
#undef WEFT_CFI_RESTORE
#undef WEFT_LANDING
#undef WEFT_CLOBBERS_SVE

}  // namespace weft::rt::arch
