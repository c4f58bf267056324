// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock that all timeouts and deadlines are counted on.
#pragma once

#include <cstdint>

namespace weft::rt::os {

// Nanoseconds since some fixed moment; never goes back. Async-signal-safe, no system call as a
// rule.
[[nodiscard]] std::int64_t monotonic_ns() noexcept;

// The same clock as it was at the kernel's last tick: a few ms late at most, and cheaper.
[[nodiscard]] std::int64_t monotonic_coarse_ns() noexcept;

}  // namespace weft::rt::os
