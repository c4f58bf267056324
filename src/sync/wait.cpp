// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits with deadlines, waits in several queues, and waits of OS threads. Orders: wait.hpp.
#include "sync/wait.hpp"

#include <cerrno>

#include "os/clock.hpp"
#include "os/futex.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/spin.hpp"
#include "sched/timer.hpp"
#include "sync/cancel_scope.hpp"

namespace weft::rt {

// What the next stack must do: open the lock, then meet the waker.
struct wait::arrival {
  wait* of;  // null: a sole wait, over as soon as its waker has found it
  open_fn open;
  void* lock;
};

// The timer of one wait; its action claims the wait for itself.
struct wait::timeout : timer {
  wait* of;
  bool claimed = false;  // read once the wait is over

  static void fire(timer& t) noexcept {
    auto& me = static_cast<timeout&>(t);
    if (!me.of->claim()) return;
    me.claimed = true;
    me.of->wake();
  }
};

void wait::wake() noexcept {
  task* t = task_;
  if (sole_ && t != nullptr) [[likely]] {
    make_ready_here(self(), t);
    return;
  }
  if (t == nullptr) {
    // The waiter may return as soon as it sees the mark; only the address is used after that.
    meeting_.wake_thread();
    os::futex_wake(meeting_.futex(), 1);
    return;
  }
  if (meeting_.wake()) make_ready(self(), t);
}

int wait::may_special_wait() noexcept {
  if (task_->has(flag_stackless)) return refuse_to_block(what_, *task_);
  sole_ = false;
  return 0;
}

int wait::until_outside(int64_t deadline_ns, open_fn unlock, void* lock) noexcept {
  const thread_waits shown(what_, object_, site_);
  cancel_watch cancellers(nullptr);
  // Others may read it where it is false.
  if (sole_ && (deadline_ns != forever || cancellers.any())) sole_ = false;
  const bool cancelled = !cancellers.stand(*this) && claim();
  unlock(lock);
  while (!cancelled && !meeting_.is_woken()) {
    if (deadline_ns == forever) {
      os::futex_wait(meeting_.futex(), meeting::not_woken);
      continue;
    }
    const int64_t now = os::monotonic_ns();
    if (deadline_ns > now) {
      (void)os::futex_wait_for(meeting_.futex(), meeting::not_woken, deadline_ns - now);
    } else if (claim()) {
      cancellers.leave();
      return -ETIMEDOUT;
    } else {
      deadline_ns = forever;  // somebody has claimed it and is about to wake
    }
  }
  return cancellers.leave() || cancelled ? -ECANCELED : 0;
}

int wait::until(int64_t deadline_ns, open_fn unlock, void* lock) noexcept {
  if (task_ == nullptr) return until_outside(deadline_ns, unlock, lock);
  const bool sole = sole_ && deadline_ns == forever;  // a task with control words of its own
  if (sole_ && !sole) sole_ = false;                  // others may read it where it is false
  cancel_watch cancellers(task_);
  if (!cancellers.stand(*this) && claim()) {
    cancellers.leave();
    unlock(lock);
    return -ECANCELED;
  }
  timeout clock;
  if (deadline_ns != forever) {
    clock.of = this;
    arm(clock, deadline_ns, timeout::fire);
  }
  arrival mine{sole ? nullptr : this, unlock, lock};
  const task_waits shown(*self(), *task_, what_, object_, site_);
  const arrival_action meet = [](worker& w, task* me, void* argument) noexcept {
    notes::acquire(argument);
    const arrival a = *static_cast<arrival*>(argument);
    a.open(a.lock);
    if (a.of != nullptr && a.of->meeting_.arrive())
      make_ready(&w, me);  // with what the waker published
  };
  notes::release(&mine);  // with what the lock guards: it is opened on the next stack
  // A loop sees to the new timer before it runs another task; a task that is switched to would not.
  const int failed = deadline_ns != forever ? park(*self(), nullptr, meet, &mine)
                                            : park_for_woken(*self(), meet, &mine);
  if (deadline_ns != forever) cancel(clock);
  const bool given_up = failed != 0 && !clock.claimed && claim();
  if (failed != 0 && !given_up) {
    unlock(lock);
    // Somebody claimed it while no stack could be had: what is handed over must be there.
    for (unsigned spun = 0; !clock.claimed && !meeting_.is_woken(); ++spun) spin_pause(spun);
  }
  const bool cancelled = cancellers.leave();
  if (given_up) return failed;  // the lock is still closed
  if (clock.claimed) return -ETIMEDOUT;
  return cancelled ? -ECANCELED : 0;
}

}  // namespace weft::rt
