// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The word in which a task that ends meets the one who joins or detaches it.
//
// Values
//   0          running, nobody waits.                 Set by reset.
//   1          done: results may be read.             Set by finish, once, over any other value.
//   3          detached: whoever finishes frees.      Set by start_detached; detach, over 0 alone.
//   8n + 3     the same, of a task that was spawned for the object at 8n. Set by start_detached.
//   16n + even an opaque waiter, whom finish wakes.   Set by wait_for, over 0 alone; cleared by
//   withdraw.
//
// Who frees the task: finish, if it returns `detached`; else the joiner once it has seen `done`, or
// the one whom detach told false. A task is joined or detached once, so wait_for and detach do not
// race. What is detached stays so, and nobody waits for it: its end need not exchange.
//
// Orders
//   F1 -> W2   finish publishes the results to a joiner that came late
//   F1 -> D2   ... to a detacher that came late, and with them that the task is not used any more
//   F1 -> I1   ... to one who asks is_done
//   F1 -> V1   ... to a waiter that withdraws too late
//   W1 -> F2   wait_for publishes the waiter's state to finish
//   D1 -> F2   detach gives up the task, and what it did with it, to finish
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/check.hpp"

namespace weft::rt {

class join_word {
 public:
  static constexpr std::uint64_t running = 0;
  static constexpr std::uint64_t done = 1;
  static constexpr std::uint64_t detached = 3;
  static constexpr std::uint64_t first_waiter = 16;

  // Before the task is published.
  void reset() {
    word_.store_relaxed(running);  // init: spawning publishes it
  }

  // Before the task is published: nobody will join it.
  void start_detached(std::uint64_t object = 0) {
    WEFT_ASSERT(object % 8 == 0);
    word_.store_relaxed(object | detached);  // init: spawning publishes it
  }

  // Whether the task was detached from the start, for that object. By who may take it out of its
  // queue.
  [[nodiscard]] bool is_detached_for(std::uint64_t object) const {
    return word_.load_relaxed() == (object | detached);  // hint: taking it out decides
  }

  // Whether it was detached from the start. By who may take it out of its queue.
  [[nodiscard]] bool is_detached() const {
    return (word_.load_relaxed() & 7) == detached;  // hint: it was, and stays so, if this says so
  }

  // By the task itself: the object it was detached for; 0: none.
  [[nodiscard]] std::uint64_t object() const {
    const std::uint64_t seen =
        word_.load_relaxed();  // hint: what was detached at the start stays so
    return (seen & 7) == detached ? seen - detached : 0;
  }

  // The task's end. Returns what stood there: `running` (nobody waits), `detached` (the caller
  // frees the task) or a waiter (the caller wakes it). Unless `detached`, *this may be gone now.
  [[nodiscard]] std::uint64_t finish() {
    if ((word_.load_acquire() & done) != 0) return detached;  // F2 <- D1
    const std::uint64_t was = word_.exchange_acq_rel(done);   // F1 -> W2, D2, I1, V1; F2 <- W1, D1
    return (was & done) != 0 ? detached : was;
  }

  // True: `waiter` will be returned by finish. False: the task is done.
  [[nodiscard]] bool wait_for(std::uint64_t waiter) {
    WEFT_ASSERT(waiter >= first_waiter);
    std::uint64_t seen = running;
    const bool waits = word_.cas_acq_rel(seen, waiter);  // W1 -> F2; W2 <- F1
    WEFT_ASSERT(waits || seen == done);
    return waits;
  }

  // True: nobody waits any more. False: the task is done, and finish has returned the waiter or is
  // about to.
  [[nodiscard]] bool withdraw(std::uint64_t waiter) {
    return word_.cas_acquire(waiter, running);  // V1 <- F1
  }

  // True: the task frees itself; *this may be gone now. False: it is done, and the caller frees it.
  [[nodiscard]] bool detach() {
    std::uint64_t seen = running;
    const bool left = word_.cas_acq_rel(seen, detached);  // D1 -> F2; D2 <- F1
    WEFT_ASSERT(left || seen == done);
    return left;
  }

  // True: the results may be read.
  [[nodiscard]] bool is_done() const {
    return word_.load_acquire() == done;  // I1 <- F1
  }

 private:
  atomic<std::uint64_t> word_{running};
};

static_assert(build::model || sizeof(join_word) == 8);

}  // namespace weft::rt
