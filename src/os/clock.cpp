// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The monotonic clock of POSIX.
#include "os/clock.hpp"

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

}  // namespace weft::rt::os
