// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock for a few instructions or over one switch: a word that is 0 while open.
//
// The lock of a wait queue may be held while its holder parks: the stack that runs next opens it
// (sync/wait.hpp). Nobody parks otherwise with one held, and nobody takes two without an order.
//
// Orders
//   U1 -> L1   what the holder wrote is seen by the next
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "sched/opening.hpp"
#include "sched/spin.hpp"

namespace weft::rt {

class spin_lock {
 public:
  WEFT_ALWAYS_INLINE void lock() noexcept {
    if (word_.exchange_acquire(1) != 0) [[unlikely]]  // L1 <- U1; open_L1 <- open_U1
      lock_slow();
  }
  WEFT_ALWAYS_INLINE void unlock() noexcept {
    word_.store_release(0);  // U1 -> L1
  }
  // By the holder, who parks: what opens it.
  opening to_open() noexcept { return {word_, 0}; }

 private:
  WEFT_COLD void lock_slow() noexcept {
    unsigned spun = 0;
    do {
      while (word_.load_relaxed() != 0) spin_pause(spun++);  // hint: the exchange decides
    } while (word_.exchange_acquire(1) != 0);  // L1 <- U1; open_L1 <- open_U1
  }

  atomic<uint64_t> word_{0};
};

}  // namespace weft::rt
