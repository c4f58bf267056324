// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One item, by value, for an owner that watches for it: what comes there costs one line on the way.
//
// An inbox takes more: its head and the item are lines of their own, and the owner has to write the head before it
// may use the item. Here who delivers writes into the line that the owner watches, and the owner writes nothing until
// it watches again.
//
// States, and who may leave them
//   closed    nobody may deliver: also what a slot is whose item the owner has read.  The owner: open.
//   open      the owner watches.                      Who delivers: to writing. The owner: to closed.
//   writing   somebody writes the item.               He: to full, or back to open. The owner, which waits for nobody: to late.
//   full      the item is there.                      The owner: reads it, and opens the slot again when it likes.
//   late      the owner went while it was written.    Who wrote: to closed, and has delivered nothing.
//
// Orders
//   F1 -> F2   deliver publishes the item to the owner
//   O1 -> D1   open publishes to the next who writes that the owner has read the item, and with it
//   L1 -> O2   that one who was late has written the last
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::rt {

template <class T>
class delivery_slot {
 public:
  delivery_slot() = default;
  delivery_slot(const delivery_slot&) = delete;
  delivery_slot& operator=(const delivery_slot&) = delete;

  // Owner, once it has read what came before: watches from now on, until close(). False: one who was late still
  // writes, and nobody can deliver.
  [[nodiscard]] bool open() noexcept {
    if (state_.load_acquire() == late) return false;  // O2 <- L1
    state_.store_release(open_);                      // O1 -> D1
    return true;
  }

  // Owner, after open(): the item is there, and close() will say so.
  [[nodiscard]] bool is_full() const noexcept {
    return state_.load_relaxed() == full;  // hint: close() looks again
  }

  // Owner, after open(): watches no more. True: the item is there. It is the owner's until it opens the slot again.
  [[nodiscard]] bool close() noexcept {
    std::uint32_t seen = state_.load_acquire();  // F2 <- F1
    while (seen != full)
      if (state_.cas_acq_rel(seen, seen == open_ ? closed : late)) return false;  // F2 <- F1
    return true;
  }
  // Owner: what was delivered.
  T& item() noexcept { return item_; }

  // Any thread: the owner watches.
  [[nodiscard]] bool is_open() const noexcept {
    return state_.load_relaxed() == open_;  // hint: deliver() asks again
  }

  // Any thread. fill(item) writes the item, or says false. False: that, or the owner does not watch, or it went
  // meanwhile.
  template <class Fill>
  [[nodiscard]] bool deliver(Fill&& fill) noexcept {
    std::uint32_t seen = open_;
    if (!state_.cas_acq_rel(seen, writing)) return false;  // D1 <- O1
    const bool filled = fill(item_);
    seen = writing;
    if (state_.cas_acq_rel(seen, filled ? full : open_)) return filled;  // F1 -> F2, O1 -> D1
    state_.store_release(closed);                                        // L1 -> O2
    return false;
  }

 private:
  static constexpr std::uint32_t closed = 0;
  static constexpr std::uint32_t open_ = 1;
  static constexpr std::uint32_t writing = 2;
  static constexpr std::uint32_t full = 3;
  static constexpr std::uint32_t late = 4;

  atomic<std::uint32_t> state_{closed};
  T item_;
};

}  // namespace weft::rt
