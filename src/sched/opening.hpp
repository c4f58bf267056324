// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a lock that its holder parks with is opened by whoever runs next: one store of a word.
//
// Two words say it, so who arrives needs no call into the lock, which would be another one for each
// kind of lock; and a switch takes them along in registers.
//
// Orders
//   open_U1 -> open_L1   what the holder wrote, its saved registers too, is seen by the next
#pragma once

#include <cstdint>

#include "arch/carried.hpp"
#include "arch/fiber_notes.hpp"
#include "base/atomic.hpp"
#include "base/attributes.hpp"

namespace weft::rt {

struct opening {
  atomic<uint64_t>& word;
  uint64_t value;  // what the word becomes

  WEFT_ALWAYS_INLINE void open() const noexcept {
    word.store_release(value);  // open_U1 -> open_L1
  }

  // By the holder: what the lock guards is published by who opens it.
  WEFT_ALWAYS_INLINE arch::carried to_carry() const noexcept {
    notes::release(&word);
    return {&word, value};
  }
  // On the next stack. False: nothing to open was brought.
  static WEFT_ALWAYS_INLINE bool open_carried(const arch::carried& with) noexcept {
    if (with.place == nullptr) return false;
    notes::acquire(with.place);
    opening{*static_cast<atomic<uint64_t>*>(with.place), with.value}.open();
    return true;
  }
};

}  // namespace weft::rt
