// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds that the members of a group go through in the same order, each at its own pace: any number
// of them is under way at once. Who comes first makes a round, who goes on last gives it back.
//
// Each member stands at a round and holds it, from the one where all begin. It goes on by taking
// the next one, which is linked there or which it makes and links, and then lets go of the one it
// came from. A round is linked to the one before it, which all members hold until they have seen
// the link; so the group needs no list of its own.
//
// Orders
//   N1 -> N2   who links a round publishes it to those who come later
//   D1 -> D2   all use of a round precedes its being given back
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/check.hpp"

namespace weft::rt {

class relay_round {
 public:
  // Nobody has it yet; so many will.
  void begin(std::uint32_t members) {
    next_.store_relaxed(nullptr);   // init: N1 of the link to it publishes it
    holds_.store_relaxed(members);  // init: as above
  }

  // The round after this one, which the caller holds; null: nobody has made it yet.
  [[nodiscard]] relay_round* next() const {
    return next_.load_acquire();  // N2 <- N1
  }

  // Links a round that the caller has made. Returns the next round: that one, or another's, who was
  // first.
  [[nodiscard]] relay_round* link(relay_round& made) {
    relay_round* seen = nullptr;
    if (next_.cas_acq_rel(seen, &made)) return &made;  // N1 -> N2; N2 <- N1
    return seen;
  }

  // One member goes on. True: it was the last, and the round is the caller's.
  [[nodiscard]] bool let_go() {
    const std::uint32_t before = holds_.add_acq_rel(0 - 1u);  // D1 -> D2; D2 <- D1
    WEFT_ASSERT(before != 0);
    return before == 1;
  }

 private:
  atomic<relay_round*> next_{nullptr};
  atomic<std::uint32_t> holds_{0};
};

}  // namespace weft::rt
