// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads that yield to each other on one worker.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t yields_full = 4'000'000;  // by both together
inline constexpr int64_t yields_quick = 400'000;

// Who ran last. A yield that comes back without the other having run is not a switch.
struct turns {
  std::atomic<int64_t> last{-1};  // relaxed: one processor, and only counted
  std::atomic<int64_t> switches{0};
};

template <class Yield>
void yield_loop(turns& t, int64_t me, int64_t count, Yield yield) {
  int64_t switched = 0;
  for (int64_t i = 0; i < count; ++i) {
    t.last.store(me, std::memory_order_relaxed);
    yield();
    switched += t.last.load(std::memory_order_relaxed) != me;
  }
  t.switches.fetch_add(switched, std::memory_order_relaxed);
}

}  // namespace weft::bench
