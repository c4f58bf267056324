// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that costs its owner no atomic update until somebody else takes it, and from then on what a spin lock costs.
//
// The first who is not the owner revokes the bias, for good: as a visitor of the biased lock that never ends its visit.
//
// Words
//   word_      1 while one of the others is inside, or the owner after the bias was revoked.
//   revoked_   1: the bias is gone. Set once, under word_; before that the owner alone goes in by the bias.
//
// Orders
//   U1 -> L1   what who held word_ wrote is seen by the next
//   The biased lock's U1 -> V2 shows what the owner wrote before to who revokes, and word_ to all after that.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "lockfree/biased_lock.hpp"
#include "lockfree/caller.hpp"

namespace weft::rt {

class revocable_lock {
 public:
  // symmetric: there is no process-wide barrier, and so no bias from the start.
  revocable_lock(bool symmetric, pause_fn pause)
      : bias_(symmetric, pause), revoked_(symmetric ? 1 : 0), pause_(pause) {}
  revocable_lock(const revocable_lock&) = delete;
  revocable_lock& operator=(const revocable_lock&) = delete;

  enum class way : std::uint32_t { bias, word };  // how the owner came in, and goes out

  // The owner, which does not park inside.
  [[nodiscard]] WEFT_ALWAYS_INLINE way lock_as_owner() {
    if (!is_revoked() && bias_.try_lock()) [[likely]]
      return way::bias;
    lock_word();
    return way::word;
  }
  WEFT_ALWAYS_INLINE void unlock_as_owner(way came) {
    if (came == way::bias) [[likely]] {
      bias_.unlock();
    } else {
      unlock();
    }
  }

  // Anybody else. heavy: the process-wide barrier, which is called once.
  template <class HeavyBarrier>
  void lock(HeavyBarrier&& heavy) {
    lock_word();
    if (is_revoked()) [[likely]]
      return;
    while (!bias_.try_visit(heavy)) {  // nobody else visits: true at once
    }
    revoked_.store_relaxed(1);  // via: L1
  }
  void unlock() {
    word_.store_release(0);  // U1 -> L1
  }

  // Under word_ exact, elsewhere a hint.
  [[nodiscard]] bool is_revoked() const {
    return revoked_.load_relaxed() != 0;  // hint: the biased lock decides
  }

 private:
  WEFT_ALWAYS_INLINE void lock_word() {
    if (word_.exchange_acquire(1) != 0) [[unlikely]]  // L1 <- U1
      lock_word_slow();
  }
  WEFT_COLD void lock_word_slow() {
    unsigned spun = 0;
    do {
      while (word_.load_relaxed() != 0) pause_(spun++);  // hint: the exchange decides
    } while (word_.exchange_acquire(1) != 0);  // L1 <- U1
  }

  biased_lock bias_;
  atomic<std::uint32_t> word_{0};
  atomic<std::uint32_t> revoked_;
  const pause_fn pause_;
};

}  // namespace weft::rt
