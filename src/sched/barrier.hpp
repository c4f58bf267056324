// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process-wide memory barrier, at most one in 50 us: it interrupts every running core.
#pragma once

#include <cstdint>

namespace weft::rt {

inline constexpr int64_t barrier_interval_ns = 50'000;

// Whether the caller may do one barrier now: the last one is not too recent, and nobody else was
// faster.
[[nodiscard]] bool claim_process_barrier(int64_t now_ns) noexcept;
// Does it, after a claim.
void process_barrier() noexcept;
// Both; false: no claim.
bool try_process_barrier(int64_t now_ns) noexcept;

// A point in time, to ask later whether a barrier has happened since.
uint64_t barrier_point() noexcept;
bool barrier_since(uint64_t point) noexcept;

}  // namespace weft::rt
