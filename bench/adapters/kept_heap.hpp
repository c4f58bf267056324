// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For runtimes that take each stack from malloc and give it back: the C library keeps the end of
// the heap.
#pragma once

#include <malloc.h>

#include "harness/report.hpp"

namespace weft::bench {

// Otherwise stacks freed there go back to the system, and each of the next ones begins with page
// faults.
inline void keep_the_heap() {
  constexpr int kept_bytes = 1 << 30;
  if (mallopt(M_TRIM_THRESHOLD, kept_bytes) != 1) die("mallopt failed");
}

}  // namespace weft::bench
