// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a lock that its holder parks with is opened by whoever runs next: one store of a word.
//
// Two words say it, so who arrives needs no call into the lock, which would be another one for each kind of lock.
//
// Orders
//   open_U1 -> open_L1   what the holder wrote, its saved registers too, is seen by the next
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"

namespace weft::rt {

struct opening {
  atomic<uint64_t>& word;
  uint64_t value;  // what the word becomes

  WEFT_ALWAYS_INLINE void open() const noexcept {
    word.store_release(value);  // open_U1 -> open_L1
  }
};

}  // namespace weft::rt
