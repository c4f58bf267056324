// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that its owner takes without fence or atomic update; seldom visitors pay for both.
//
// Asymmetric Dekker: the owner raises busy_ and looks at wanted_, the visitor raises wanted_, calls
// a process-wide barrier and looks at busy_. Not recursive; the owner must not park inside.
//
// Words
//   busy_    1 while the owner is inside or about to find out.   The owner alone.
//   wanted_  visiting while a visitor is inside or waits for busy_.  Visitors: exchange, so one at
//            a time. In the symmetric mode the bit `asking` besides, always: so the owner's usual
//            way asks for nothing but 0, and where that fails for the mode alone it fences and
//            looks again.
//
// Orders
//   U1 -> V2   what the owner wrote inside is seen by the visitor that found it outside
//   V3 -> E2   what a visitor wrote is seen by the owner that finds wanted_ down
//   V3 -> V1   ... and by the next visitor
//   E1 <> V2   the owner raises busy_ and reads wanted_; the visitor raises wanted_ and reads busy_
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/build.hpp"
#include "lockfree/caller.hpp"

namespace weft::rt {

class biased_lock {
 public:
  // `symmetric`: there is no process-wide barrier, so the owner pays a fence.
  biased_lock(bool symmetric, pause_fn pause)
      : pause_(pause), mode_(symmetric ? asking : 0), wanted_(mode_) {}
  biased_lock(const biased_lock&) = delete;
  biased_lock& operator=(const biased_lock&) = delete;

  // Owner.
  WEFT_ALWAYS_INLINE void lock() {
    if (!raise()) [[unlikely]]
      lock_slow();
  }
  // Owner. False: a visitor is inside or wants in.
  [[nodiscard]] WEFT_ALWAYS_INLINE bool try_lock() {
    if (raise() || raise_slow()) [[likely]]
      return true;
    // U1 -> V2; unseen: as in lock_slow
    busy_.store_release(0);
    return false;
  }
  WEFT_ALWAYS_INLINE void unlock() {
    busy_.store_release(0);  // U1 -> V2
  }

  // Any other thread. False: another visitor is here. `heavy` is the process-wide barrier; in the
  // symmetric mode a full fence takes its place.
  template <class HeavyBarrier>
  [[nodiscard]] bool try_visit(HeavyBarrier&& heavy) {
    if (wanted_.load_relaxed() != mode_) return false;  // hint: spares the line
    // V1 <- V3; unseen: the barrier below acquires as much, but not to a thread sanitizer
    if (wanted_.exchange_acquire(mode_ | visiting) != mode_) return false;
    if (mode_ == asking) {
      fence_seq_cst();  // V2 <> E1
    } else {
      heavy();  // V2 <> E1
    }
    for (unsigned spun = 0; busy_.load_acquire() != 0; ++spun) pause_(spun);  // V2 <- U1; V2 <> E1
    return true;
  }
  void end_visit() {
    wanted_.store_release(mode_);  // V3 -> E2, V3 -> V1
  }

 private:
  static constexpr std::uint32_t visiting = 1;
  static constexpr std::uint32_t asking = 2;

  // False: a visitor wants in, or the mode is symmetric; busy_ is up all the same.
  WEFT_ALWAYS_INLINE bool raise() {
    // Tasks of one worker are threads to a thread sanitizer: the last unlock must be seen.
    if constexpr (build::tsan) (void)busy_.load_own_relaxed();  // own: written by this worker
    busy_.store_relaxed(1);                                     // via: E1
    fence_light();                                              // E1 <> V2
    return wanted_.load_acquire() == 0;                         // E2 <- V3; E1 <> V2
  }
  // After raise() has failed. False: a visitor wants in, and busy_ is up all the same.
  bool raise_slow() {
    if (mode_ != asking) return false;
    fence_seq_cst();                          // E1 <> V2
    return wanted_.load_acquire() == asking;  // E2 <- V3; E1 <> V2
  }

  WEFT_COLD void lock_slow() {
    for (unsigned spun = 0; !raise_slow();) {
      // U1 -> V2; unseen: relacy lets it continue the release of the last unlock, as C++11 did
      busy_.store_release(0);
      do {
        pause_(spun++);
      } while (wanted_.load_relaxed() != mode_);  // hint: raise() reads it again
      if (raise()) return;
    }
  }

  alignas(line_bytes) atomic<std::uint32_t> busy_{0};
  const pause_fn pause_;
  const std::uint32_t mode_;
  alignas(line_bytes) atomic<std::uint32_t> wanted_;
};

}  // namespace weft::rt
