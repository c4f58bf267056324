// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watching the processor time of this process for a while.
#pragma once

#include <chrono>
#include <thread>

#include "config.hpp"
#include "harness/memory.hpp"

namespace weft::bench {

// Blocks the calling thread of the operating system meanwhile.
inline double idle_percent() {
  std::this_thread::sleep_for(std::chrono::milliseconds(settle_ms));
  const double before = cpu_seconds();
  const stopwatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(watch_ms));
  return 100.0 * (cpu_seconds() - before) / watch.seconds();
}

}  // namespace weft::bench
