// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the small questions to the CPU.
#include "arch/cpu.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

#include "base/attributes.hpp"

namespace weft::rt::test {
namespace {

TEST(cpu, cycle_count_goes_forward) {
  const std::uint64_t start = arch::cycle_count();
  std::uint64_t now = start;
  while (now == start) {
    arch::pause();
    now = arch::cycle_count();
  }
  EXPECT_GT(now, start);
}

WEFT_NOINLINE std::byte* stack_pointer_of_a_callee() {
  volatile std::byte frame[1024];  // more than a leaf may keep without a frame
  frame[0] = std::byte{1};
  std::byte* const sp = arch::stack_pointer();
  frame[1] = frame[0];
  return sp;
}

TEST(cpu, stack_pointer_is_below_the_frames_that_live) {
  std::byte* const here = arch::stack_pointer();
  EXPECT_LE(here, static_cast<std::byte*>(__builtin_frame_address(0)));
  EXPECT_LT(stack_pointer_of_a_callee(), here);
}

}  // namespace
}  // namespace weft::rt::test
