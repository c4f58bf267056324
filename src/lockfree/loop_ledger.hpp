// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a shared loop is over, and when its descriptor may go: two counts.
//
// `open_` counts iterations that are not known to be over. Who takes part settles what it ran when
// it leaves, so a worker that has taken nothing holds nobody up. `holds_` counts who may still look
// at the descriptor: its caller, who takes part, and each invitation under way. The last to leave
// frees.
//
// Orders
//   E1 -> E2   what the iterations did is published to who brings the count to 0, and through it to
//              the caller
//   E1 -> E3   the same for a caller that looks
//   D1 -> D2   all use of the descriptor precedes its end
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/check.hpp"

namespace weft::rt {

class loop_ledger {
 public:
  // Held by the caller.
  explicit loop_ledger(std::uint64_t iterations) : open_(iterations) {}

  // n iterations, taken by the caller of this, are over. True: these were the last.
  [[nodiscard]] bool settle(std::uint64_t n) {
    const std::uint64_t before = open_.add_acq_rel(0 - n);  // E1 -> E2, E3; E2 <- E1
    WEFT_ASSERT(before >= n);
    return before == n;
  }

  // By the caller of the loop: whether all are over.
  [[nodiscard]] bool settled() const {
    return open_.load_acquire() == 0;  // E3 <- E1
  }

  // By one who holds it, for another.
  void hold() {
    holds_.add_relaxed(1);  // count: the caller's own hold keeps it
  }

  // By the caller, once, before anybody else knows of it.
  void hold_unseen() {
    holds_.store_relaxed(2);  // init: published with the descriptor
  }

  // True: nobody else holds it. Frees.
  [[nodiscard]] bool drop() {
    return holds_.add_acq_rel(0 - 1u) == 1;  // D1 -> D2; D2 <- D1
  }

 private:
  atomic<std::uint64_t> open_;
  atomic<std::uint32_t> holds_{1};
};

}  // namespace weft::rt
