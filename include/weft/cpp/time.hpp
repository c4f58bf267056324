// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From std::chrono to the deadlines of the C functions: absolute nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ratio>
#include <type_traits>

#include "weft/cpp/error.hpp"
#include "weft/time.h"

namespace weft::detail {

inline constexpr int64_t no_deadline = INT64_MAX;

// Nanoseconds, rounded up, because a wait must not end early; what does not fit is the nearest that
// does.
template <class Rep, class Period>
int64_t nanoseconds(const std::chrono::duration<Rep, Period>& d) {
  const std::chrono::duration<long double, std::nano> exact(d);
  if (!(exact.count() > -9.2e18L)) return INT64_MIN;
  if (exact.count() >= 9.2e18L) return INT64_MAX;
  if constexpr (std::is_integral_v<Rep>) {
    // Before it is divided it may need more bits than the result.
    __extension__ using wide = __int128;
    using to_nano = std::ratio_divide<Period, std::nano>;
    const wide parts = static_cast<wide>(d.count()) * to_nano::num;
    return static_cast<int64_t>(parts / to_nano::den + (parts % to_nano::den > 0 ? 1 : 0));
  } else {
    return std::chrono::ceil<std::chrono::nanoseconds>(d).count();
  }
}

template <class Rep, class Period>
int64_t deadline_after(const std::chrono::duration<Rep, Period>& d) {
  const int64_t now = weft_time_now_ns();
  const int64_t ns = nanoseconds(d);
  if (ns <= 0) return now;
  return ns < no_deadline - now ? now + ns : no_deadline;
}

template <class Rep, class Period>
std::chrono::steady_clock::time_point time_after(const std::chrono::duration<Rep, Period>& d) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline_after(d)));
}

// std::chrono::steady_clock counts as CLOCK_MONOTONIC does.
template <class Duration>
int64_t deadline_at(const std::chrono::time_point<std::chrono::steady_clock, Duration>& t) {
  const int64_t ns = nanoseconds(t.time_since_epoch());
  return ns > 0 ? ns : 0;
}

// a - b, or the nearest that fits.
constexpr int64_t difference(int64_t a, int64_t b) noexcept {
  int64_t result = 0;
  return !__builtin_sub_overflow(a, b, &result) ? result : a < b ? INT64_MIN : INT64_MAX;
}

// Another clock may be set meanwhile: the deadline is right as both stand now.
template <class Clock, class Duration>
int64_t deadline_at(const std::chrono::time_point<Clock, Duration>& t) {
  // A difference of the moments themselves may not fit into their type.
  const int64_t at = nanoseconds(t.time_since_epoch());
  const int64_t now = nanoseconds(Clock::now().time_since_epoch());
  const int64_t left = at == INT64_MAX ? at : difference(at, now);
  return deadline_after(std::chrono::nanoseconds(left));
}

// Asked after its deadline: whether the moment has come.
template <class Clock, class Duration>
bool has_come(const std::chrono::time_point<Clock, Duration>& t) {
  if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
    return true;
  } else {
    return nanoseconds(Clock::now().time_since_epoch()) >= nanoseconds(t.time_since_epoch());
  }
}

// wait(deadline) until a moment of any clock, again where that has not come at the deadline.
template <class Clock, class Duration, class Wait>
int wait_until(const std::chrono::time_point<Clock, Duration>& t, Wait&& wait) {
  for (;;) {
    const int result = wait(deadline_at(t));
    if (result != -ETIMEDOUT || has_come(t)) return result;
  }
}

// The same once, for a condition: what is notified between two waits meets nobody. So where the
// moment has not come at the deadline the wait has ended for nothing, which is 0.
template <class Clock, class Duration, class Wait>
int wait_once_until(const std::chrono::time_point<Clock, Duration>& t, Wait&& wait) {
  const int result = wait(deadline_at(t));
  return result == -ETIMEDOUT && !has_come(t) ? 0 : result;
}

// What a timed call says: true; false after the deadline; anything else is thrown.
inline bool in_time(int result, const char* what) {
  return result != -ETIMEDOUT && must(result, what) >= 0;
}

// What a try says: true; false where it would have had to wait.
inline bool at_once(int result, const char* what) {
  return result != -EBUSY && must(result, what) >= 0;
}

}  // namespace weft::detail
