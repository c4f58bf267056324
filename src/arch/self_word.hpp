// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One word per OS thread, read in a way that no compiler caches across a context switch.
//
// After a switch a flow may be on another thread. A compiler does not know that: it may compute the
// address of a thread_local once and keep it in a register or on the stack. A volatile asm computes
// the address anew each time, in two instructions and without a call, in static and shared, PIC and
// other code alike (the linker turns initial-exec into local-exec in a program).
#pragma once

#include "base/attributes.hpp"

// Defined in sched/self.cpp. __thread, not thread_local: a C++ thread_local that is only declared
// is read through a wrapper function. Exported: a program's inlined code may read it.
extern "C" {
extern __thread void* weft_self_word
    __attribute__((tls_model("initial-exec"), visibility("default")));
}

namespace weft::rt::arch {

#if defined(__x86_64__) && defined(__LP64__)

WEFT_ALWAYS_INLINE void* load_self_word() noexcept {
  void* word;
  asm volatile(
      "movq weft_self_word@gottpoff(%%rip), %0\n\t"  // its offset from the thread pointer
      "movq %%fs:(%0), %0"                           // the word of this thread
      : "=r"(word));
  return word;
}

WEFT_ALWAYS_INLINE void store_self_word(void* word) noexcept {
  void* offset;
  asm volatile(
      "movq weft_self_word@gottpoff(%%rip), %0\n\t"  // as above
      "movq %1, %%fs:(%0)"
      : "=&r"(offset)
      : "r"(word)
      : "memory");
}

#elif defined(__aarch64__) && defined(__LP64__)

WEFT_ALWAYS_INLINE void* load_self_word() noexcept {
  void* word;
  void* offset;
  asm volatile(
      "adrp %1, :gottprel:weft_self_word\n\t"            // page of the offset's GOT entry
      "mrs %0, tpidr_el0\n\t"                            // the thread pointer
      "ldr %1, [%1, :gottprel_lo12:weft_self_word]\n\t"  // its offset from it
      "ldr %0, [%0, %1]"                                 // the word of this thread
      : "=&r"(word), "=&r"(offset));
  return word;
}

WEFT_ALWAYS_INLINE void store_self_word(void* word) noexcept {
  void* thread;
  void* offset;
  asm volatile(
      "adrp %1, :gottprel:weft_self_word\n\t"  // as above
      "mrs %0, tpidr_el0\n\t"
      "ldr %1, [%1, :gottprel_lo12:weft_self_word]\n\t"
      "str %2, [%0, %1]"
      : "=&r"(thread), "=&r"(offset)
      : "r"(word)
      : "memory");
}

#else

// The address lives and dies in a call that is never inlined; the asm keeps the call from being
// merged with another.
WEFT_NOINLINE inline void* load_self_word() noexcept {
  asm volatile("" ::: "memory");
  return weft_self_word;
}

WEFT_NOINLINE inline void store_self_word(void* word) noexcept {
  weft_self_word = word;
  asm volatile("" ::: "memory");
}

#endif

}  // namespace weft::rt::arch
