// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One item, by value, for an owner that watches for it: what comes there costs one line on the way.
//
// An inbox takes more: its head and the item are lines of their own, and the owner has to write the
// head before it may use the item. Here who delivers writes into the line that the owner watches,
// and the owner writes nothing until it watches again.
//
// The state goes from open to full in one step. The owner reads the line over and over: with a
// state in between it would take the line back before the sender's second store. So those who send
// by value take turns at a word of another line, and who has the turn may write the item as long as
// the slot is not full. An item that has its place elsewhere comes as its address alone, in the
// word of the state, and needs no turn.
//
// States, and who may leave them
//   closed      nobody may deliver.       The owner: to open.
//   open        the owner watches.        Who has the turn: to full. Anybody: to an address. The
//               owner: to closed.
//   full        the item is there.        The owner: reads it, and opens the slot again when it
//               likes.
//   an address  as full, of an item elsewhere.
//
// Orders
//   F1 -> F2   deliver publishes the item to the owner
//   O1 -> D1   open publishes to the next who writes that the owner has read the item
//   S1 -> S2   who had the turn has written the last, and the next one sees the state no older than
//      he did
// Nobody acts on `closed` but by going elsewhere: to close publishes nothing.
#pragma once

#include <cstdint>

#include "arch/cpu.hpp"
#include "base/atomic.hpp"

namespace weft::rt {

// Whose turn it is to deliver by value.
class delivery_turn {
 public:
  [[nodiscard]] bool try_take() noexcept {
    return taken_.load_relaxed() == 0 && taken_.exchange_acquire(1) == 0;  // hint; S2 <- S1
  }
  void give_back() noexcept { taken_.store_release(0); }  // S1 -> S2

 private:
  atomic<std::uint32_t> taken_{0};
};

// Elsewhere: what comes as its address.
template <class T, class Elsewhere>
class delivery_slot {
 public:
  delivery_slot() = default;
  delivery_slot(const delivery_slot&) = delete;
  delivery_slot& operator=(const delivery_slot&) = delete;

  // Owner, once it has read what came before: watches from now on, until close().
  void open() noexcept { state_.store_release(opened); }  // O1 -> D1

  // Owner, after open(): the item is there, and close() will say so.
  [[nodiscard]] bool is_full() const noexcept {
    return state_.load_relaxed() >= full;  // hint: close() looks again
  }

  // Owner, after open(): watches no more. True: the item is there. It is the owner's until it opens
  // the slot again.
  [[nodiscard]] bool close() noexcept {
    std::uintptr_t seen = state_.load_acquire();  // F2 <- F1
    while (seen < full)
      if (state_.cas_acquire(seen, closed)) return false;  // F2 <- F1, where it fails
    return true;
  }
  // Owner, after close() was true: what lies elsewhere; null: item() has it.
  [[nodiscard]] Elsewhere* elsewhere() const noexcept {
    const std::uintptr_t seen = state_.load_relaxed();  // own: nobody else leaves what is full
    return seen != full ? reinterpret_cast<Elsewhere*>(seen) : nullptr;
  }
  T& item() noexcept { return item_; }

  // Any thread: the owner watches.
  [[nodiscard]] bool is_open() const noexcept {
    return state_.load_relaxed() == opened;  // hint: deliver() asks again
  }

  // Any thread. False: the owner does not watch, or another delivers.
  [[nodiscard]] bool deliver(Elsewhere* item) noexcept {
    std::uintptr_t seen = opened;
    return state_.cas_release(seen, reinterpret_cast<std::uintptr_t>(item));  // F1 -> F2
  }
  // Any thread. fill(item) writes the item, or says false. False: that, or the owner does not
  // watch, or another delivers.
  template <class Fill>
  [[nodiscard]] bool deliver(delivery_turn& turn, Fill&& fill) noexcept {
    if (!turn.try_take()) return false;
    // The line is asked for once, and whatever is slow was done before: the owner, who reads it all
    // the time, would have it back soon, and it would have to be asked for again.
    arch::prefetch_to_write(&state_);
    std::uintptr_t seen = state_.load_acquire();  // D1 <- O1
    const bool delivered =
        seen == opened && fill(item_) && state_.cas_release(seen, full);  // F1 -> F2
    turn.give_back();
    return delivered;
  }

 private:
  static constexpr std::uintptr_t closed = 0;
  static constexpr std::uintptr_t opened = 1;
  static constexpr std::uintptr_t full = 2;

  static_assert(alignof(Elsewhere) > full, "an address is none of these");

  atomic<std::uintptr_t> state_{closed};
  T item_;
};

}  // namespace weft::rt
