// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that costs its owner no atomic update while nobody else takes it, and otherwise what a
// spin lock costs.
//
// Who is not the owner and finds the bias in place revokes it, as a visitor of the biased lock that
// does not end its visit. The owner ends it once it has been alone for `patience_` turns. Each
// revocation doubles that: so of barriers there are few, whenever the others come, and what they
// cost is less than what the owner has saved.
//
// Words
//   word_      1 while one of the others is inside, or the owner after the bias was revoked.
//   revoked_   1: the bias is gone. Written under word_; while it is 0 the owner goes in by the
//              bias, and others revoke.
//
// Orders
//   U1 -> L1   what who held word_ wrote is seen by the next
//   The biased lock's U1 -> V2 shows what the owner wrote before to who revokes, and word_ to all
//   after that. The owner ends the visit inside, so it has seen what all others wrote, and by V3 ->
//   V1 the next who revokes has, too.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "lockfree/biased_lock.hpp"
#include "lockfree/caller.hpp"

namespace weft::rt {

class revocable_lock {
 public:
  // A barrier costs about what so many turns by word_ cost more than as many by the bias.
  static constexpr std::uint64_t first_patience = 4096;

  // symmetric: there is no process-wide barrier, and so no bias ever.
  revocable_lock(bool symmetric, pause_fn pause, std::uint64_t patience = first_patience)
      : bias_(symmetric, pause),
        revoked_(symmetric ? 1 : 0),
        pause_(pause),
        patience_(symmetric ? UINT64_MAX : patience) {}
  revocable_lock(const revocable_lock&) = delete;
  revocable_lock& operator=(const revocable_lock&) = delete;

  enum class way : std::uint32_t { bias, word };  // how the owner came in, and goes out

  // The owner, which does not park inside.
  [[nodiscard]] WEFT_ALWAYS_INLINE way lock_as_owner() {
    if (!is_revoked() && bias_.try_lock()) [[likely]]
      return way::bias;
    lock_word();
    if (++alone_ >= patience_) [[unlikely]]
      restore();
    return way::word;
  }
  WEFT_ALWAYS_INLINE void unlock_as_owner(way came) {
    if (came == way::bias) [[likely]] {
      bias_.unlock();
    } else {
      unlock();
    }
  }

  // Anybody else. heavy: the process-wide barrier, for who revokes.
  template <class HeavyBarrier>
  WEFT_ALWAYS_INLINE void lock(HeavyBarrier&& heavy) {
    lock_word();
    alone_ = 0;
    if (!is_revoked()) [[unlikely]]
      revoke(heavy);
  }
  void unlock() {
    word_.store_release(0);  // U1 -> L1
  }

  // Under word_ exact, elsewhere a hint.
  [[nodiscard]] bool is_revoked() const {
    return revoked_.load_relaxed() != 0;  // hint: the biased lock decides
  }

 private:
  static constexpr std::uint64_t most_patience = std::uint64_t{1} << 32;

  // Another, under word_.
  template <class HeavyBarrier>
  WEFT_COLD void revoke(HeavyBarrier&& heavy) {
    while (!bias_.try_visit(heavy)) {  // nobody else visits: true at once
    }
    revoked_.store_relaxed(1);  // via: L1
    if (patience_ < most_patience) patience_ *= 2;
  }
  // Owner, under word_, where it comes to only when the bias is gone: from its next turn on it has
  // it again.
  WEFT_COLD void restore() {
    alone_ = 0;
    revoked_.store_relaxed(0);  // via: L1
    bias_.end_visit();
  }
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
  // Under word_.
  std::uint64_t alone_ = 0;  // turns of the owner since anybody else's
  std::uint64_t patience_;
};

}  // namespace weft::rt
