// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A switch where the CPU enforces branch targets: without a C library, which may not have any.
#include "arch/context.hpp"
#include "base/attributes.hpp"

using weft::rt::arch::context;
using weft::rt::arch::jump_context;
using weft::rt::arch::make_context;
using weft::rt::arch::switch_context;

namespace {

context outer;
context inner;
alignas(16) char stack[8192];
volatile int steps = 0;

// Signs its return address before the switch and checks it after.
WEFT_NOINLINE void switches() {
  steps = steps + 1;
  switch_context(inner, outer);
  steps = steps + 1;
}

void entry() noexcept {
  switches();
  steps = steps + 1;
  jump_context(outer);
}

[[noreturn]] void leave(long status) {
  register long first asm("x0") = status;
  register long number asm("x8") = 93;  // exit
  asm volatile("svc 0" : : "r"(first), "r"(number));
  __builtin_unreachable();
}

}  // namespace

extern "C" void _start() {
  make_context(inner, stack + sizeof stack, entry);
  switch_context(outer, inner);
  if (steps != 1) leave(1);
  switch_context(outer, inner);
  leave(steps == 3 ? 0 : 2);
}
