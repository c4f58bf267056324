// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between nanoseconds and the ticks of the timer wheel: about a microsecond each.
#pragma once

#include <cstdint>

#include "lockfree/timer_wheel.hpp"
#include "os/clock.hpp"

namespace weft::rt {

inline constexpr unsigned tick_bits = 10;

// The first tick that is not before the deadline.
inline int64_t tick_of(int64_t deadline_ns) noexcept {
  if (deadline_ns <= 0) return 0;
  const int64_t tick = ((deadline_ns - 1) >> tick_bits) + 1;
  return tick < timer_wheel::never ? tick : timer_wheel::never - 1;
}

// The last tick that has begun.
inline int64_t ticks_now() noexcept { return os::monotonic_ns() >> tick_bits; }

// When a tick begins; the largest number for what is never.
inline int64_t start_of_tick(int64_t tick) noexcept {
  return tick < timer_wheel::never ? tick << tick_bits : INT64_MAX;
}

}  // namespace weft::rt
