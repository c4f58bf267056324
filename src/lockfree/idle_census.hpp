// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many workers are idle and how many search, in one word: work is neither missed nor chased.
//
// Every worker is busy, searching, or idle. Who gives work looks at the word: zero means that
// nobody is idle or searching, and nothing is to do. The steps, with their barriers, are in
// src/lockfree/README.md; the model is tests/model/idle_model.cpp.
//
// Bits: the word is the sum of
//   idle * 1           as a signed number in bits 0..15: +1 searcher_gives_up, claim_missed;
//                      -1 claim_wake (on behalf of the worker it will wake), idle_leaves
//   searching * 65536  bits 16..31: +1 becomes_searcher, claim_wake, idle_leaves(true);
//                      -1 searcher_gives_up, searcher_found, claim_missed
//   always             bit 63, from the constructor: there is no process-wide barrier, so the word
//                      is never 0 and who gives work goes on to a full fence and quiet_after_fence
// No update is spurious and none is missed. idle is below 0 while a worker that was claimed has
// left by itself: the claimer finds one worker fewer to wake, and claim_missed brings the count
// back.
//
// Invariants
//   I1  (workers that gave up and have not left) == idle + (claims that have not woken anybody
//       yet). Each of these workers has a wake_word that hand_search accepts, and had it before it
//       gave up; or it is between rise and idle_leaves, a few instructions.
//   I2  searching == (workers that search) + (claims that have not woken anybody yet).
//   I3  while searching is above 0, work that was put is looked for after it was put: by a worker,
//       who ends by searcher_found or searcher_gives_up, or by the worker that a claim will reach.
//       By I1 a claim reaches one unless idle is below 0; only then may it be given back, because
//       then all who were idle have left, and will look everywhere before they are idle again.
//
// Orders
//   No data passes through this word, so its updates are relaxed; a claimer that does not see a
//   wake_word watch yet goes round once more.
//   Q1 <> G1   a giver of work puts it, fence_light, reads the word; who gives up counts itself
//              idle, process-wide barrier, looks for work. Without such a barrier both fence.
//   C1 <> F1   a giver of work puts it, full fence, reads the word; the last searcher that found
//              something leaves the count, full fence, looks for more work
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"

namespace weft::rt {

class idle_census {
 public:
  // `symmetric`: there is no process-wide barrier.
  explicit idle_census(bool symmetric) : word_(symmetric ? always : 0) {}
  idle_census(const idle_census&) = delete;
  idle_census& operator=(const idle_census&) = delete;

  // After work was put where others can see it, and after fence_light: false, go on to claim_wake.
  [[nodiscard]] WEFT_ALWAYS_INLINE bool quiet() const {
    return word_.load_relaxed() == 0;  // Q1 <> G1
  }

  // The word itself, for code that was inlined into programs and asks as quiet() does.
  [[nodiscard]] const void* word() const { return &word_; }

  // The same after a full fence, and true without a process-wide barrier too.
  [[nodiscard]] bool quiet_after_fence() const {
    return (word_.load_relaxed() & ~always) == 0;  // Q1 <> G1
  }

  // A busy worker has run out of work of its own.
  void becomes_searcher() {
    word_.add_relaxed(one_searching);  // count: I2 rests on the barrier of G1
  }

  // A searcher found nothing. Its wake_word must watch already (I1). Next it calls the process-wide
  // barrier and looks everywhere once more.
  void searcher_gives_up() {
    word_.add_relaxed(one_idle - one_searching);  // G1 <> Q1
  }

  // An idle worker goes to work unbidden: it found some, or it was called by name. Its wake_word
  // must have risen already, with a reason other than `handed`.
  void idle_leaves(bool as_searcher) {
    const std::uint64_t more = as_searcher ? one_searching : 0;
    word_.add_relaxed(more - one_idle);  // count: I3
  }

  // A searcher found work. True: nobody else searches and somebody is idle, so the caller looks
  // whether there is more, and if so calls claim_wake. The looking may start at once: the fence is
  // here.
  [[nodiscard]] bool searcher_found() {
    const std::uint64_t before = word_.add_relaxed(0 - one_searching);  // F1 <> C1
    if (searching(before) != 1 || idle(before) <= 0) return false;
    fence_seq_cst();  // F1 <> C1
    return true;
  }

  // True: the caller must find one wake_word whose hand_search succeeds, and if it finds none, ask
  // claim_missed. False: nobody is idle, or somebody searches.
  [[nodiscard]] bool claim_wake() {
    fence_seq_cst();                            // C1 <> F1
    std::uint64_t seen = word_.load_relaxed();  // C1 <> F1
    while (idle(seen) > 0 && searching(seen) == 0)
      if (word_.cas_relaxed(seen, seen - one_idle + one_searching)) return true;  // count: I1, I2
    return false;
  }

  // The claimer has gone over all wake_words in vain. True: go over them again, one will accept it.
  // False: the claim is given back, because nobody is left to wake.
  [[nodiscard]] bool claim_missed() {
    std::uint64_t seen = word_.load_relaxed();  // cas: below
    while (idle(seen) < 0)
      if (word_.cas_relaxed(seen, seen + one_idle - one_searching)) return false;  // count: I1, I2
    return true;
  }

  // Hints for reports and tests.
  [[nodiscard]] int idle_hint() const { return idle(word_.load_relaxed()); }  // hint: a report
  [[nodiscard]] int searching_hint() const {
    return searching(word_.load_relaxed());  // hint: a report
  }

 private:
  static constexpr std::uint64_t one_idle = 1;
  static constexpr std::uint64_t one_searching = std::uint64_t{1} << 16;
  static constexpr std::uint64_t always = std::uint64_t{1} << 63;

  static int idle(std::uint64_t word) { return static_cast<std::int16_t>(word & 0xffff); }
  static int searching(std::uint64_t word) {
    const std::uint64_t counts = word & ~always;
    return static_cast<int>((counts - static_cast<std::uint64_t>(idle(word))) >> 16);
  }

  alignas(line_bytes) atomic<std::uint64_t> word_;
};

}  // namespace weft::rt
