// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The monotonic clock of POSIX.
#include "os/clock.hpp"

#include <cstdint>
#include <ctime>

namespace weft::rt::os {

std::int64_t monotonic_ns() noexcept {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);  // cannot fail: the clock exists and &now is valid
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace weft::rt::os
