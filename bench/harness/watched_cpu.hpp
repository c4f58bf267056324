// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watching the processor time of this process for a while, by a thread that costs none.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "harness/memory.hpp"
#include "harness/report.hpp"

namespace weft::bench {

struct watched_cpu {
  double cpu_seconds;
  double seconds;
};

// Blocks the calling thread of the operating system meanwhile. rest_ms: before it begins, for what
// ends soon.
inline watched_cpu watch_cpu(int64_t rest_ms, int64_t for_ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(rest_ms));
  const double before = cpu_seconds();
  const stopwatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(for_ms));
  return {cpu_seconds() - before, watch.seconds()};
}

// Adds the ms of processor time that `count` tasks cost while all of them wait: from when the last
// has begun to. up: those whose wait is over, of which there must be none.
inline void add_cpu_of_waiting(report& out, const std::atomic<int64_t>& begun, int64_t count,
                               const std::atomic<int64_t>& up, int64_t rest_ms, int64_t for_ms) {
  while (begun.load() < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  out.add(1e3 * watch_cpu(rest_ms, for_ms).cpu_seconds);
  out.check("tasks up while watched", up.load(), int64_t{0});
}

}  // namespace weft::bench
