// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words with their full/empty state in themselves.
//
// Bits of the word
//   1       busy: somebody stands in its group, or works on it under the bucket of its address.
//           Then only who has closed that bucket changes the word. Set and cleared under the
//           bucket.
//   2       empty
//   4..63   the value
//   0, 3    always 0 (the lock of Qthreads' syncvar_t, and an unused bit of its state)
// While it is not busy every operation is one compare-and-swap.
#pragma once

#include "sync/word.hpp"

namespace weft::rt {

inline constexpr uint64_t syncvar_busy = 2;
inline constexpr uint64_t syncvar_is_empty = 4;
inline constexpr unsigned syncvar_shift = 4;
inline constexpr uint64_t syncvar_state = (1u << syncvar_shift) - 1;
inline constexpr uint64_t syncvar_max = UINT64_MAX >> syncvar_shift;

// As the functions of word.hpp. Values are at most syncvar_max.
int syncvar_empty(uint64_t* var) noexcept;
int syncvar_fill(uint64_t* var) noexcept;
int syncvar_write_f(uint64_t* var, uint64_t value) noexcept;
// Modulo syncvar_max + 1. sum: what it holds then.
int syncvar_add_f(uint64_t* var, uint64_t increment, uint64_t& sum) noexcept;
int syncvar_write_ef(uint64_t* var, uint64_t value, int64_t deadline_ns, void* site) noexcept;
int syncvar_write_ff(uint64_t* var, uint64_t value, int64_t deadline_ns, void* site) noexcept;
int syncvar_read_ff(const uint64_t* var, uint64_t* out, int64_t deadline_ns, void* site) noexcept;
int syncvar_read_fe(uint64_t* var, uint64_t* out, int64_t deadline_ns, void* site) noexcept;
uint64_t syncvar_read_xx(const uint64_t* var) noexcept;
bool syncvar_is_full(const uint64_t* var) noexcept;

}  // namespace weft::rt
