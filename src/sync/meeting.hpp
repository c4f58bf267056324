// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a flow that parks and who ends its wait meet: one of all wakers wins, and one of the two
// resumes it.
//
// Two words.
//   claimed_  0 until somebody claims the wait: a waker at one of several queues, a timer, a
//             canceller.
//   meet_     the flow's arrival (its stack is saved) and the wake each exchange their mark in: the
//             second of the two makes the flow ready. An OS thread sleeps here until `woken`.
//
// Orders
//   A1 -> A2   the saved stack is published to the waker that comes second
//   A2 -> A1   what the waker handed over is seen by the flow that comes second
//   A2 -> T2   the same by a flow that could not park, and looks
//   T1 -> T2   what the waker handed over is seen by an OS thread
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"

namespace weft::rt {

class meeting {
 public:
  // Any waker. True: it ends the wait, and calls wake() or wake_thread() once.
  WEFT_ALWAYS_INLINE bool claim() noexcept {
    // count: of all who claim one wins; what is handed over is ordered by meet_
    return claimed_.exchange_relaxed(1) == 0;
  }

  // On the stack after the flow's. True: it was woken meanwhile, and the caller makes it ready.
  bool arrive() noexcept {
    return meet_.exchange_acq_rel(arrived) == woken;  // A1 -> A2; A1 <- A2
  }
  // Who claimed it. True: the flow has arrived, and the caller makes it ready. Else *this may be
  // gone.
  bool wake() noexcept {
    return meet_.exchange_acq_rel(woken) == arrived;  // A2 <- A1; A2 -> A1, T2
  }

  // The same for an OS thread, which may return as soon as it sees the mark: only the address of
  // the word is used after that.
  void wake_thread() noexcept {
    meet_.store_release(woken);  // T1 -> T2
  }
  bool is_woken() const noexcept {
    return meet_.load_acquire() == woken;  // T2 <- T1, A2
  }
  // To sleep on while it is not woken.
  atomic<uint32_t>& futex() noexcept { return meet_; }
  static constexpr uint32_t not_woken = 0;

 private:
  static constexpr uint32_t arrived = 1;
  static constexpr uint32_t woken = 2;

  atomic<uint32_t> claimed_{0};
  atomic<uint32_t> meet_{0};
};

}  // namespace weft::rt
