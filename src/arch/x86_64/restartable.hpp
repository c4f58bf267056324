// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The restartable store for x86-64, in the thread's area that the C library has registered with the
// kernel.
#pragma once

#include <cstddef>
#include <sys/rseq.h>

namespace weft::rt::arch {

// The C library's, weak: before 2.35 it has neither, and registers nothing.
extern const std::ptrdiff_t rseq_offset __asm__("__rseq_offset") __attribute__((weak));
extern const unsigned int rseq_size __asm__("__rseq_size") __attribute__((weak));

inline constexpr bool has_restartable_store = !build::tsan;

static_assert(offsetof(struct rseq, rseq_cs) == 8 && RSEQ_SIG == 0x5305'3053);

// Whether the C library has registered its threads.
inline bool threads_restart() noexcept {
  return has_restartable_store && &rseq_size != nullptr && rseq_size != 0;
}

// Stores `wanted`, releasing, if the word is `seen`. False: it is not, or the thread was
// interrupted; nothing is stored. Only where threads_restart().
WEFT_ALWAYS_INLINE bool store_unless_restarted(atomic<uint64_t>& at, uint64_t seen,
                                               uint64_t wanted) noexcept {
  // The description lies in the group of the function, if it is in one, and goes where that goes.
  // The signature stands before the address to go on at; it is an instruction that nobody comes to.
  // Both lie in a section that no function is in: in that of cold functions a cold one would run
  // into them. The area forgets the description at the end, for the library that holds it may be
  // unloaded; a move leaves the flags, which say whether it was stored. No `asm goto`: a function
  // that gcc divides into a hot and a cold part loses what the cold one is to catch.
  bool stored;
  asm volatile(
      ".pushsection __rseq_cs, \"aw?\"\n\t"
      ".balign 32\n"
      "9:\n\t"
      ".long 0, 0\n\t"             // version, flags
      ".quad 1f, 2f - 1f, 4f\n\t"  // from, length, where to go on
      ".popsection\n\t"
      "leaq 9b(%%rip), %%rax\n\t"
      "movq %%rax, %%fs:8(%[area])\n"  // from here on it counts
      "1:\n\t"
      "cmpq %[seen], (%[at])\n\t"
      "jne 3f\n\t"
      "movq %[wanted], (%[at])\n"
      "2:\n"
      "3:\n\t"
      "movq $0, %%fs:8(%[area])\n\t"
      ".pushsection .text.weft_restarted, \"ax?\"\n\t"
      ".byte 0x0f, 0xb9, 0x3d\n\t"  // ud1 with the signature for its operand
      ".long 0x53053053\n"
      "4:\n\t"
      "testq %%rsp, %%rsp\n\t"  // not equal
      "jmp 3b\n\t"
      ".popsection"
      : "=@cce"(stored)
      : [area] "r"(rseq_offset), [seen] "er"(seen), [wanted] "er"(wanted), [at] "r"(at.address())
      : "rax", "memory");
  return stored;
}

}  // namespace weft::rt::arch
