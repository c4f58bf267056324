// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The word of a thing to wait for: its state, and the lock of its queue, so that both change at
// once.
//
// Bits
//   0    closed    the queue is somebody's. Set by close(), cleared by open(); meanwhile nobody
//                  else changes any bit, so open() is a plain store.
//   1    waiting   somebody may stand in the queue. Changes only while closed. Spurious is legal
//                  (one who gave up leaves it set, the next who looks clears it), missed is not.
//   2..  the state of whatever it belongs to: see there
//
// A state change that leaves the queue alone is one change() or give(), and it is the last use of
// the object by who makes it. So is open(): whoever sees the new state may free the object.
//
// Orders
//   W1 -> W3   what preceded a change() or give() is seen by who changes the word or closes it
//              afterwards
//   W1 -> W4   the same for who only looks
//   W2 -> W3   what was done before open(), with the queue too, is seen by the next
//   W2 -> W4   the same for who only looks
// close() releases nothing: it tells no new state, who sees it waits for open(), and as a
// read-modify-write it goes on with the release of the W1 or W2 whose state it leaves.
#pragma once

#include <cerrno>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "sched/opening.hpp"
#include "sched/spin.hpp"
#include "sync/solo.hpp"

namespace weft::rt {

class queue_word {
 public:
  static constexpr uint64_t closed = 1;
  static constexpr uint64_t waiting = 2;
  static constexpr uint64_t busy = closed | waiting;  // not a matter of one change alone
  static constexpr unsigned state_shift = 2;

  queue_word() noexcept = default;
  // By who makes the object, before others know it.
  explicit queue_word(uint64_t state) noexcept : word_(state) {}

  uint64_t guess() const noexcept {
    return word_.load_relaxed();  // cas: or a hint
  }
  uint64_t look() const noexcept {
    return word_.load_acquire();  // W4 <- W1, W2
  }

  // False: the word was not `seen`, which now tells what it is. `seen` is never closed.
  WEFT_ALWAYS_INLINE bool change(uint64_t& seen, uint64_t wanted) noexcept {
    return word_.cas_acq_rel(seen, wanted);  // W1 -> W3, W4; W3 <- W1, W2
  }
  // The same by who needs to see nothing that others did.
  WEFT_ALWAYS_INLINE bool give(uint64_t& seen, uint64_t wanted) noexcept {
    return word_.cas_release(seen, wanted);  // W1 -> W3, W4
  }
  // The same while the word is solo; false also if it is not `seen`. See solo.hpp.
  WEFT_ALWAYS_INLINE bool give_solo(uint64_t seen, uint64_t wanted) noexcept {
    return guess() == seen && solo::give(word_, seen, wanted);  // W1 -> W3, W4
  }

  // Adds to a state that is a count. 0, or -EOVERFLOW: it would be above `most`, and nothing
  // happened.
  [[nodiscard]] int count_up(uint64_t by, uint64_t most) noexcept {
    uint64_t seen = guess();
    for (unsigned spun = 0;;) {
      if (by > most - (seen >> state_shift)) return -EOVERFLOW;
      if ((seen & closed) != 0) {
        spin_pause(spun++);
        seen = guess();
      } else if (change(seen, seen + (by << state_shift))) {
        return 0;
      }
    }
  }

  // Locks the queue; the word without `closed`.
  WEFT_ALWAYS_INLINE uint64_t close() noexcept {
    uint64_t seen = word_.load_relaxed();  // cas: validated below
    const bool open = (seen & closed) == 0;
    if (open && word_.cas_acquire(seen, seen | closed)) [[likely]]  // W3 <- W1, W2
      return seen;
    return close_slow(seen);
  }
  WEFT_ALWAYS_INLINE void open(uint64_t word) noexcept {
    word_.store_release(word);  // W2 -> W3, W4
  }
  // The same by who arrives after its holder.
  opening to_open(uint64_t word) noexcept { return {word_, word}; }

 private:
  WEFT_COLD uint64_t close_slow(uint64_t seen) noexcept {
    for (unsigned spun = 0;;) {
      if ((seen & closed) != 0) {
        spin_in_crowd(spun++);
        seen = word_.load_relaxed();                        // cas: validated below
      } else if (word_.cas_acquire(seen, seen | closed)) {  // W3 <- W1, W2
        return seen;
      }
    }
  }

  atomic<uint64_t> word_{0};
};

// The closed queue of a word, as wait_in() wants a lock: `word` is what the word becomes when it is
// opened.
struct closed_queue {
  explicit closed_queue(queue_word& w) noexcept : of(w), word(w.close()) {}
  closed_queue(const closed_queue&) = delete;
  closed_queue& operator=(const closed_queue&) = delete;

  void lock() noexcept { word = of.close(); }
  void unlock() noexcept { of.open(word); }  // last use of *this, if a waiter's stack holds it
  opening to_open() noexcept { return of.to_open(word); }

  queue_word& of;
  uint64_t word;
};

}  // namespace weft::rt
