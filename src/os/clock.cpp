// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The monotonic clock of POSIX.
#include "os/clock.hpp"

#include <cerrno>
#include <cstdint>
#include <ctime>

namespace weft::rt::os {

namespace {

std::int64_t read_clock(clockid_t clock) noexcept {
  timespec now{};
  (void)::clock_gettime(clock, &now);  // cannot fail: the clock exists and &now is valid
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t monotonic_ns() noexcept { return read_clock(CLOCK_MONOTONIC); }

std::int64_t monotonic_coarse_ns() noexcept { return read_clock(CLOCK_MONOTONIC_COARSE); }

void sleep_until(std::int64_t deadline_ns) noexcept {
  constexpr std::int64_t second_ns = 1'000'000'000;
  const timespec deadline{deadline_ns / second_ns, deadline_ns % second_ns};
  // It returns the error and leaves errno alone.
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) == EINTR) {
  }
}

}  // namespace weft::rt::os
