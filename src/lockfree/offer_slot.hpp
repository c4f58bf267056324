// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One item that its owner is about to use, and others may take if it does not.
//
// The owner puts and takes, others only take; all are one exchange. Others are to be patient: an
// owner that goes on comes for the item by itself, sooner than it could be had here.
// The idea is the `runnext` of Go's scheduler.
//
// Invariant: an item that was put comes out exactly once: displaced by the next put, or taken.
//
// Orders
//   P1 -> T1   what the item points at is published to who takes it
// What a put displaces was put by the same owner, who need not acquire it.
#pragma once

#include "base/atomic.hpp"
#include "base/attributes.hpp"

namespace weft::rt {

template <class T>
class offer_slot {
 public:
  offer_slot() = default;
  offer_slot(const offer_slot&) = delete;
  offer_slot& operator=(const offer_slot&) = delete;

  // Owner. The item that was there and nobody took, or null.
  [[nodiscard]] T* put(T* item) noexcept {
    return item_.exchange_release(item);  // P1 -> T1
  }

  // Any thread. Null: there is none.
  [[nodiscard]] T* take() noexcept {
    if (empty()) return nullptr;
    return item_.exchange_acquire(nullptr);  // T1 <- P1
  }

  // Owner: exact where it says that there is none. Others: after a barrier that pairs with one
  // after a put, false if that item is still there.
  [[nodiscard]] WEFT_ALWAYS_INLINE bool empty() const noexcept {
    return item_.load_relaxed() == nullptr;  // hint: the exchange decides
  }

 private:
  atomic<T*> item_{nullptr};
};

}  // namespace weft::rt
