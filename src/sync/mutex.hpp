// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mutex: one compare-and-swap to lock, a store or a second one to unlock; who must wait parks
// in order of arrival.
//
// Zero is an open mutex. The word's state
//   held     somebody has it. Set by who locks, or by who hands it over; cleared by the unlock.
//   coming   an unlock has opened the mutex and woken a waiter, which has not tried yet. Set by
//            that unlock, cleared by that waiter with the queue closed. While it is set, unlocks
//            wake nobody else.
//   shared   a flow may have come while another had it, and unlocks are exchanges. Never cleared.
//   asked    it is about to become shared. Changes by whoever holds a solo_end.
//
// While it is `held` and nothing else, it is solo: the unlock is a restartable store of 0
// (solo.hpp), in which any change of the word may be lost. So all that closes the queue makes it
// shared first.
//   S1  a solo word has no bit but `held`, and perhaps `asked`, which may be lost.
//   S2  `shared` is set where nobody can be in a solo unlock: by who locks the open mutex, or after
//       `asked` has outlasted a restart of all others. One at a time asks, so that it is the same
//       `asked`.
//
// An unlock that finds waiters opens the mutex and wakes the first; whoever comes first takes it,
// which spares a switch for each lock where a flow locks often. A waiter that came too late goes
// back to the head of the queue, and from its `patience`th time on it is handed the mutex: it stays
// held, and is the waiter's when it wakes. So each waiter is passed over a bounded number of times.
// With hand_over the first wake hands it over already.
//
// The source of the two modes is Go's sync.Mutex, which counts a millisecond instead.
#pragma once

#include <cerrno>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "sync/passage.hpp"
#include "sync/queue_word.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

class mutex {
 public:
  enum : uint32_t { recursive = 1, hand_over = 2 };
  // So often a waiter is passed over before it is handed the mutex.
  static constexpr uint32_t patience = 2;

  // One that waits for the mutex; on its stack.
  struct locker : waiter {
    using waiter::waiter;
    bool owns = false;     // by who woke it: the mutex was handed over
    bool claimed = false;  // its wait was claimed elsewhere, by who sent it here
    uint32_t passed_over = 0;
  };

  mutex() noexcept = default;
  explicit mutex(uint32_t flags) noexcept : flags_(flags) {}

  bool is_recursive() const noexcept { return (flags_ & recursive) != 0; }
  bool is_held() const noexcept { return (word_.guess() & held) != 0; }

  // Open, and nobody waits; else try_lock() is to be asked.
  WEFT_ALWAYS_INLINE bool lock_at_once() noexcept {
    uint64_t seen = 0;
    return take_open(seen);
  }
  WEFT_ALWAYS_INLINE bool try_lock() noexcept {
    uint64_t seen = 0;
    return take_open(seen) || ((seen & held) == 0 && try_lock_slow(seen));
  }

  // Waits; the fast way has failed. 0, -ETIMEDOUT, -ENOMEM, -EPERM (a stackless task). passed: by a
  // waiter that an unlock has woken, how often it was passed over, this time included.
  template <class Wait = wait, class Queue = closed_queue>
  WEFT_COLD int lock_slow(int64_t deadline_ns, void* site, uint32_t passed = 0) noexcept {
    become_shared();
    for (;;) {
      Wait w("mutex", this, site);
      if (const int refused = w.may_wait(); refused != 0) return refused;
      locker n(w);
      Queue queue(word_);
      if (passed != 0) queue.word &= ~coming;
      if ((queue.word & held) == 0) {
        queue.word |= held;
        queue.unlock();
        return 0;
      }
      n.passed_over = passed;
      queue.word |= queue_word::waiting;
      const int failed = passed != 0 ? wait_first_in(queue_, n, queue, deadline_ns)
                                     : wait_in(queue_, n, queue, deadline_ns);
      if (failed != 0) return failed;
      if (n.owns) return 0;
      passed = n.passed_over + 1;
    }
  }

  // Waits until it is the caller's, not cancelled, however long there is no memory to wait with.
  // Not for a stackless task.
  void lock_surely(void* site, uint32_t passed = 0) noexcept;

  // By who holds it. False: nobody does.
  template <class Wait = wait>
  WEFT_ALWAYS_INLINE bool unlock() noexcept {
    if (word_.give_solo(held, 0)) return true;  // last use of *this
    uint64_t seen = word_.guess();
    return (seen == (held | shared) && word_.give(seen, shared)) ||
           unlock_slow<Wait>(seen);  // last use of *this
  }

  // For select. False: nobody holds it, and n stands nowhere. n.passed_over is the caller's to
  // keep.
  bool stand(locker& n) noexcept {
    become_shared();
    return stand_unless(word_, queue_, n, [](uint64_t word) { return (word & held) == 0; });
  }
  void leave(locker& n) noexcept { leave_queue(word_, queue_, n); }
  // After the wake, as lock_slow() does it. False: the mutex is another's; n was passed over once
  // more.
  bool take_up(locker& n) noexcept {
    if (n.owns) return true;
    closed_queue queue(word_);
    queue.word &= ~coming;
    const bool free = (queue.word & held) == 0;
    queue.word |= held;
    queue.unlock();
    n.passed_over += free ? 0 : 1;
    return free;
  }

  // Locks it for a waiter whose wait the caller has claimed, or lets it wait here. True: it has the
  // mutex, and the caller wakes it.
  bool adopt(locker& n) noexcept {
    become_shared();
    closed_queue queue(word_);
    n.claimed = true;
    n.owns = (queue.word & held) == 0;
    const bool owns = n.owns;
    queue.word |= held;
    if (!owns) {
      queue.word |= queue_word::waiting;
      queue_.push(n);
    }
    queue.unlock();  // last use of n, if it was queued
    return owns;
  }

 private:
  static constexpr uint64_t held = uint64_t{1} << queue_word::state_shift;
  static constexpr uint64_t coming = held << 1;
  static constexpr uint64_t shared = held << 2;
  static constexpr uint64_t asked = held << 3;

  // What who locks an open mutex sets.
  static WEFT_ALWAYS_INLINE uint64_t taken() noexcept {
    return held | (shared & solo::forbidden());
  }

  // Locks it if it is open and nobody waits; else the word is `seen`.
  WEFT_ALWAYS_INLINE bool take_open(uint64_t& seen) noexcept {
    seen = word_.guess();
    if ((seen & ~shared) != 0) return false;  // an exchange in vain would cost as much as one more
    return word_.change(seen, seen | taken());
  }

  void become_shared() noexcept {
    if ((word_.guess() & shared) == 0) share();
  }
  WEFT_COLD void share() noexcept {
    const solo_end end;
    uint64_t seen = word_.guess();
    while ((seen & shared) == 0) {
      if ((seen & (held | asked)) == held) {
        if (!word_.change(seen, seen | asked)) continue;
        end.restart_others();
        seen = word_.guess();
      } else if (word_.change(seen, (seen & held) | shared)) {
        return;
      }
    }
  }

  bool try_lock_slow(uint64_t seen) noexcept {
    while ((seen & held) == 0) {
      if ((seen & queue_word::closed) != 0) {
        seen = word_.close();
        word_.open(seen | held);
        return (seen & held) == 0;
      }
      const uint64_t to_set = (seen & asked) != 0 ? held : taken();
      if (word_.change(seen, seen | to_set)) return true;
    }
    return false;
  }

  template <class Wait = wait>
  locker* take_next() noexcept {
    while (auto* n = static_cast<locker*>(queue_.first())) {
      queue_.remove(*n);
      if (n->claimed || static_cast<Wait*>(n->of)->claim()) {
        n->chosen = true;
        return n;
      }
    }
    return nullptr;
  }

  template <class Wait = wait>
  WEFT_COLD bool unlock_slow(uint64_t seen) noexcept {
    for (;;) {
      if ((seen & held) == 0) return false;
      const bool nobody = (seen & queue_word::waiting) == 0 || (seen & coming) != 0;
      if ((seen & queue_word::closed) != 0 || !nobody) break;
      if (word_.give(seen, seen & ~held)) return true;  // last use of *this
    }
    seen = word_.close();
    if ((seen & held) == 0) {
      word_.open(seen);
      return false;
    }
    locker* n = (seen & coming) == 0 ? take_next<Wait>() : nullptr;
    uint64_t left = seen & (coming | shared);
    if (!queue_.empty()) left |= queue_word::waiting;
    if (n == nullptr) {
      word_.open(left);  // last use of *this
      return true;
    }
    n->owns = (flags_ & hand_over) != 0 || n->passed_over >= patience;
    word_.open(left | (n->owns ? held : coming));  // last use of *this
    static_cast<Wait*>(n->of)->wake();
    return true;
  }

  queue_word word_;
  wait_queue queue_;
  const uint32_t flags_ = 0;

 public:
  // Of a recursive one: see recursion.hpp.
  uint32_t depth = 0;          // by its owner
  atomic<uintptr_t> owner{0};  // by its owner; 0: none
};

}  // namespace weft::rt
