// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor time of this process while it has nothing to do, as a share of one processor.
#pragma once

#include "config.hpp"
#include "harness/watched_cpu.hpp"

namespace weft::bench {

inline double idle_percent() {
  const watched_cpu idle = watch_cpu(settle_ms, watch_ms);
  return 100.0 * idle.cpu_seconds / idle.seconds;
}

}  // namespace weft::bench
