// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where no store can be restarted.
#pragma once

namespace weft::rt::arch {

inline constexpr bool has_restartable_store = false;

inline bool threads_restart() noexcept { return false; }
inline bool store_unless_restarted(atomic<uint64_t>&, uint64_t, uint64_t) noexcept { return false; }

}  // namespace weft::rt::arch
