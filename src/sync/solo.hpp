// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words that one flow at a time uses: given up by a restartable store instead of an exchange, until
// another flow comes while one has it.
//
// A word is solo by its state, which its owner defines: it becomes so only while nobody has it, and
// is made shared by whoever comes, in a solo_end.
#pragma once

#include "arch/restartable.hpp"
#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "os/membarrier.hpp"
#include "os/process.hpp"

namespace weft::rt {

class solo {
 public:
  // The end of a solo word interrupts all cores that run the process. After so many since the start
  // of the runtime words are shared from the beginning: the program has more of them that two flows
  // meet at than the stores are worth.
  static constexpr uint32_t most_ends = 1000;

  // Whether words must be shared from the beginning, as bits: none or all. What is solo stays so.
  static WEFT_ALWAYS_INLINE uint64_t forbidden() noexcept {
    return forbidden_.load_relaxed();  // hint: a word keeps its own state
  }
  // Before the first call nothing is. False: it cannot be, or is not wanted.
  static bool allow(bool wanted) noexcept {
    const bool can = wanted && arch::threads_restart() && os::restart_register();
    ends_.store_relaxed(0);                            // count: an end under way may be lost
    forbidden_.store_relaxed(can ? 0 : ~uint64_t{0});  // hint: as above
    return can;
  }

  // Gives up a word that is `seen`, solo, and its owner's. False: another flow is coming, or would
  // have been missed.
  static WEFT_ALWAYS_INLINE bool give(atomic<uint64_t>& word, uint64_t seen,
                                      uint64_t wanted) noexcept {
    return arch::has_restartable_store && arch::store_unless_restarted(word, seen, wanted);
  }

 private:
  friend class solo_end;

  inline static constinit atomic<uint64_t> forbidden_{~uint64_t{0}};
  inline static constinit atomic<uint32_t> ends_{0};  // by who holds a solo_end, and allow()
};

// Held by who makes a word shared: one in the process. May wait for another's. A fork does not wait
// for it, for a handler of the fork may lock: what a child finds asked for stays so, and there
// nobody is in a give().
class solo_end {
 public:
  // After this each solo give() has happened or sees what the caller did before.
  void restart_others() const noexcept {
    os::restart_others();
    const uint32_t ends = solo::ends_.load_relaxed() + 1;  // own: one solo_end in the process
    solo::ends_.store_relaxed(ends);                       // own: as above
    if (ends == solo::most_ends) solo::forbidden_.store_relaxed(~uint64_t{0});  // hint: as above
  }

 private:
  os::alone alone_;
};

}  // namespace weft::rt
