// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cheap chance: the next state of a xorshift generator (Marsaglia, Journal of Statistical Software
// 8(14), 2003).
#pragma once

#include <cstdint>

namespace weft::rt {

// state: any but 0, which it never becomes. The upper half is the better one.
constexpr uint64_t xorshift64(uint64_t state) noexcept {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

}  // namespace weft::rt
