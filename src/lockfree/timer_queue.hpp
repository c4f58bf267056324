// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timers that were armed on one worker: a wheel under a spin lock, and what others know of it.
//
// A timer lies in its user's memory. Whoever armed it calls cancel() before that memory goes: true
// means that it will not fire, false that it has fired and its action has returned.
//
// Words
//   next_    nothing is due before it. Written under the lock; lowered by arm, raised by take. It
//            may stay too early after a cancel: that costs a look at the clock.
//   shown_   what the keeper of time (time_keeper.hpp) must answer for: nothing that was shown is
//            due before it. next_ < shown_ only while the owner itself sees to the earliest: it is
//            on its way to its next pick, or sleeps no longer than until then. Written under the
//            lock.
//   armed_   how many timers are in the wheel. Written under the lock.
//   state of a timer   idle -> armed (who arms) -> idle (who cancels, under the lock)
//                                     armed -> firing (take, under the lock) -> idle (fired)
//
// Orders
//   T1 -> T2   who leaves the lock publishes the wheel to who takes it
//   T3 -> T4   the action has returned: its user may have the memory back
//   Who acts on next_ or shown_ takes the lock first. That a deadline which is shown is seen in
//   time is the affair of time_keeper.hpp.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "lockfree/caller.hpp"
#include "lockfree/timer_wheel.hpp"

namespace weft::rt {

class timer_queue;

struct timer_entry : wheel_entry {
  enum : uint32_t { idle, armed, firing };
  atomic<uint32_t> state{idle};
  timer_queue* in = nullptr;  // the last one that it was armed in
};

class timer_queue {
 public:
  static constexpr int64_t never = timer_wheel::never;

  timer_queue(pause_fn pause, int64_t now) : pause_(pause), wheel_(now) {}
  timer_queue(const timer_queue&) = delete;
  timer_queue& operator=(const timer_queue&) = delete;

  // The owner. The timer is idle. True: no one else knows that something is due as early as that,
  // so the owner must show it before it does anything else for long.
  [[nodiscard]] bool arm(timer_entry& t, int64_t tick) {
    t.in = this;
    t.state.store_relaxed(timer_entry::armed);  // init: nobody else has it before the lock is left
    lock();
    wheel_.add(t, tick);
    armed_.store_relaxed(armed_.load_relaxed() + 1);  // own: under the lock; hint: a report
    int64_t next = next_.load_relaxed();              // own: under the lock
    if (tick < next) {
      next = tick;
      next_.store_relaxed(next);  // hint: the owner's own, and as said above
    }
    const bool hidden = next < shown_.load_relaxed();  // own: under the lock
    unlock();
    return hidden;
  }

  // Any thread, the one that may have the timer's memory back. False: it has fired, and what its
  // action did happens-before the return.
  static bool cancel(timer_entry& t, pause_fn pause) {
    const uint32_t seen = t.state.load_relaxed();  // hint: the lock decides, and it is read again
    if (seen == timer_entry::armed && t.in->take_back(t)) return true;
    for (unsigned spun = 0; t.state.load_acquire() != timer_entry::idle; ++spun)  // T4 <- T3
      pause(spun);
    return false;
  }

  // Any thread. Takes up to `most` timers that are due, linked by next, the earliest first, and
  // null at the end. The caller runs the action of each and calls fired() after it. `more`: there
  // may be others.
  timer_entry* take(int64_t now, int most, bool& more) {
    constexpr int moves_each = 4;
    int moves = most * moves_each;
    wheel_entry* first = nullptr;
    wheel_entry** end = &first;
    int taken = 0;
    lock();
    while (taken < most) {
      wheel_entry* e = wheel_.take(now, moves);
      if (e == nullptr) break;
      static_cast<timer_entry*>(e)->state.store_relaxed(
          timer_entry::firing);  // own: under the lock
      *end = e;
      end = &e->next;
      ++taken;
    }
    *end = nullptr;
    armed_.store_relaxed(armed_.load_relaxed() -
                         static_cast<uint64_t>(taken));  // own: under the lock
    const int64_t next = wheel_.next();
    next_.store_relaxed(next);  // hint: as said above
    // own: under the lock. Raised only: what nobody was shown stays the owner's affair.
    if (shown_.load_relaxed() < next) shown_.store_relaxed(next);
    unlock();
    more = next <= now;
    return static_cast<timer_entry*>(first);
  }

  // Who took the timer, after its action.
  static void fired(timer_entry& t) {
    t.state.store_release(timer_entry::idle);  // T3 -> T4; last use of t
  }

  // The owner. From here on others answer for what is in here; returns the earliest. A Dekker fence
  // comes next, then time_keeper.
  int64_t show() {
    lock();
    const int64_t next = next_.load_relaxed();  // own: under the lock
    shown_.store_relaxed(next);                 // via: the fence that comes next
    unlock();
    return next;
  }

  // Hints, for the owner and for who looks after others.
  WEFT_ALWAYS_INLINE int64_t next() const { return next_.load_relaxed(); }  // hint: as said above
  bool hidden() const {
    return next_.load_relaxed() < shown_.load_relaxed();  // hint: the owner asks about its own arms
  }
  int64_t shown() const { return shown_.load_relaxed(); }   // via: the fences of time_keeper.hpp
  uint64_t armed() const { return armed_.load_relaxed(); }  // hint: exact while nobody runs

 private:
  // False: it is being fired.
  bool take_back(timer_entry& t) {
    lock();
    const bool mine = t.state.load_relaxed() == timer_entry::armed;  // via: T2
    if (mine) {
      wheel_.remove(t);
      armed_.store_relaxed(armed_.load_relaxed() - 1);  // own: under the lock; hint: a report
      t.state.store_relaxed(timer_entry::idle);         // own: under the lock
    }
    unlock();
    return mine;
  }

  void lock() {
    for (unsigned spun = 0; lock_.exchange_acquire(1) != 0; ++spun)  // T2 <- T1
      while (lock_.load_relaxed() != 0) pause_(spun++);              // hint: the exchange decides
  }
  void unlock() {
    lock_.store_release(0);  // T1 -> T2
  }

  alignas(line_bytes) atomic<int64_t> next_{never};
  atomic<int64_t> shown_{never};
  atomic<uint64_t> armed_{0};
  atomic<uint32_t> lock_{0};
  const pause_fn pause_;
  timer_wheel wheel_;
};

}  // namespace weft::rt
