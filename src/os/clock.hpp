// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock that all timeouts and deadlines are counted on.
#pragma once

#include <cstdint>

namespace weft::rt::os {

// Nanoseconds since some fixed moment; never goes back. Async-signal-safe, no system call as a
// rule.
[[nodiscard]] std::int64_t monotonic_ns() noexcept;

}  // namespace weft::rt::os
