// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the calling OS thread's own stack lies.
#pragma once

#include <cstddef>

namespace weft::rt::os {

struct bounds {
  std::byte* low;   // lowest byte that may be used, as the system tells it
  std::byte* high;  // one above the highest
};

// Both are null when the system does not tell.
[[nodiscard]] bounds thread_stack_bounds() noexcept;

}  // namespace weft::rt::os
