// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What switch_backtrace.py steps through: two flows, each some frames deep, that switch to and fro.
#include <cstddef>

#include "arch/context.hpp"
#include "base/attributes.hpp"

using weft::rt::arch::context;
using weft::rt::arch::jump_context;
using weft::rt::arch::make_context;
using weft::rt::arch::switch_context;

namespace {

context outer;
context inner;
alignas(16) std::byte stack[64 * 1024];
volatile long seed = 4000;

}  // namespace

// C names, which are what the script looks for. A tag lives across each call, in a register if the
// compiler likes: an unwinder must recover it.
extern "C" {

WEFT_NOINLINE void inner_1() {
  for (int i = 0; i < 3; i++) {
    switch_context(inner, outer);
    seed = seed + 1;
  }
}

WEFT_NOINLINE long inner_2() {
  const long tag = seed - seed + 1002;
  inner_1();
  return tag;
}

void entry() noexcept {
  const long tag = inner_2();
  seed = seed + tag - 1002;
  jump_context(outer);
}

WEFT_NOINLINE void outer_1() {
  make_context(inner, stack + sizeof stack, entry);
  for (int i = 0; i < 4; i++) {
    switch_context(outer, inner);
    seed = seed + 1;
  }
}

WEFT_NOINLINE long outer_2() {
  const long tag = seed - seed + 1001;
  outer_1();
  return tag;
}

WEFT_NOINLINE void done() { asm volatile(""); }

int main() {
  long sum = 0;
  for (int i = 0; i < 2; i++) sum += outer_2();
  done();
  return sum == 2 * 1001 && seed == 4000 + 2 * (4 + 3) ? 0 : 1;
}
}
