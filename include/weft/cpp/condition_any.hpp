// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition for any kind of lock, whose waits end when a stop is requested.
//
// Waiters stand in a list, each with a semaphore on its stack. Nothing here parks but the wait for
// that semaphore: a stop callback must not, because the end of a std::stop_callback tells its own
// thread from others by the OS thread.
#pragma once

#include <atomic>
#include <stop_token>
#include <utility>

#include "weft/cpp/cancel.hpp"
#include "weft/cpp/condition.hpp"
#include "weft/cpp/fork_abi.hpp"
#include "weft/cpp/sanitizer.hpp"
#include "weft/cpp/spin.hpp"
#include "weft/cpp/stop.hpp"
#include "weft/sync.h"

namespace weft {

// It may end when all who waited have returned; std allows that once they were notified.
class condition_variable_any {
 public:
  constexpr condition_variable_any() noexcept = default;
  condition_variable_any(const condition_variable_any&) = delete;
  condition_variable_any& operator=(const condition_variable_any&) = delete;

  void notify_one() noexcept {
    waiter* first = nullptr;
    {
      const detail::spin_lock::held inside(lock_);
      first = first_;
      if (first != nullptr) remove(*first);
    }
    if (first != nullptr) wake(*first);
  }
  void notify_all() noexcept {
    waiter* each = nullptr;
    {
      const detail::spin_lock::held inside(lock_);
      each = std::exchange(first_, nullptr);
      last_ = nullptr;
      for (waiter* w = each; w != nullptr; w = w->next) w->queued = false;
    }
    while (each != nullptr) wake(*std::exchange(each, each->next));
  }

  template <class Lock>
  void wait(Lock& lock) {
    (void)wait_once(lock, {}, detail::no_deadline);
  }
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate until) {
    while (!until()) wait(lock);
  }
  // False: a stop was requested and the predicate is still false.
  template <class Lock, class Predicate>
  bool wait(Lock& lock, std::stop_token stop, Predicate until) {
    return wait_until(lock, std::move(stop), std::chrono::steady_clock::time_point::max(),
                      std::move(until));
  }

  template <class Lock, class Clock, class Duration>
  cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& t) {
    const int result = detail::wait_once_until(
        t, [&](int64_t at) { return wait_once(lock, std::stop_token(), at); });
    return result == -ETIMEDOUT ? cv_status::timeout : cv_status::no_timeout;
  }
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& t, Predicate until) {
    return wait_until(lock, std::stop_token(), t, std::move(until));
  }
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, std::stop_token stop,
                  const std::chrono::time_point<Clock, Duration>& t, Predicate until) {
    const detail::stop_callback wakes(stop, [this]() noexcept { notify_all(); });
    while (!stop.stop_requested()) {
      if (until()) return true;
      const int result =
          detail::wait_once_until(t, [&](int64_t at) { return wait_once(lock, stop, at); });
      if (result == -ETIMEDOUT) break;
    }
    return until();
  }

  template <class Lock, class Rep, class Period>
  cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& d) {
    return wait_until(lock, detail::time_after(d));
  }
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& d, Predicate until) {
    return wait_until(lock, detail::time_after(d), std::move(until));
  }
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, std::stop_token stop, const std::chrono::duration<Rep, Period>& d,
                Predicate until) {
    return wait_until(lock, std::move(stop), detail::time_after(d), std::move(until));
  }

 private:
  struct waiter {
    weft_semaphore_t woken{};  // of 0 units
    waiter* next = nullptr;
    waiter* before = nullptr;
    bool queued = true;  // under lock_
  };

  static void wake(waiter& w) noexcept {
    weft_semaphore_post(&w.woken, 1);  // last use of w
  }

  // Under lock_.
  void add(waiter& w) noexcept {
    w.before = last_;
    (last_ != nullptr ? last_->next : first_) = &w;
    last_ = &w;
  }
  void remove(waiter& w) noexcept {
    (w.before != nullptr ? w.before->next : first_) = w.next;
    (w.next != nullptr ? w.next->before : last_) = w.before;
    w.queued = false;
  }
  // Nobody knows w afterwards. False: somebody had taken it out, and has woken it.
  bool withdraw(waiter& w) noexcept {
    {
      const detail::spin_lock::held inside(lock_);
      if (w.queued) {
        remove(w);
        return true;
      }
    }
    const cancel_shield shield;
    detail::must_not_fail(weft_semaphore_wait(&w.woken), "weft::condition_variable_any::wait");
    return false;
  }

  // In a stackless task nothing may be called in place, which costs less to know. The thread
  // sanitizer takes each task for a thread, and the worker's words for theirs.
  static bool may_be_stackless() noexcept {
    if constexpr (detail::thread_sanitizer) return true;
    const detail::abi::worker* const w = detail::abi::self();
    return w == nullptr || detail::abi::stack_pointer() < w->inline_floor;
  }
  // A stackless task may not wait, nor for the lock at the end: it is refused while it has that. A
  // wait that is cancelled already ends at once, but asks this first.
  [[gnu::noinline]] static void refuse_stackless() {
    weft_cancel_t requested = WEFT_CANCEL_INIT;
    weft_cancel_request(&requested);
    weft_cancel_scope_t scope;
    detail::must(weft_cancel_enter(&requested, &scope), "weft::condition_variable_any::wait");
    weft_semaphore_t never{};  // of 0 units
    const int result = weft_semaphore_wait(&never);
    weft_cancel_leave(&scope);
    if (result != -ECANCELED) detail::must(result, "weft::condition_variable_any::wait");
  }

  // Gives the lock up, and has it again at the end, after an exception too. Where it cannot be
  // given up, nobody waits.
  template <class Lock>
  struct unlocked {
    unlocked(Lock& l, condition_variable_any& c, waiter& w) : lock(l) {
      try {
        lock.unlock();
      } catch (...) {
        (void)c.withdraw(w);
        throw;
      }
    }
    unlocked(const unlocked&) = delete;
    unlocked& operator=(const unlocked&) = delete;
    ~unlocked() {
      const cancel_shield shield;
      lock.lock();
    }
    Lock& lock;
  };

  // 0, -ETIMEDOUT or -ECANCELED. In the list before the lock is given up, so that no notification
  // is missed; and a stop that was requested before it was there is looked for afterwards.
  template <class Lock>
  int wait_once(Lock& lock, const std::stop_token& stop, int64_t deadline) {
    if (may_be_stackless()) [[unlikely]]
      refuse_stackless();
    waiter me;
    {
      const detail::spin_lock::held inside(lock_);
      add(me);
    }
    const unlocked<Lock> meanwhile(lock, *this, me);
    const int result =
        stop.stop_requested() ? -ECANCELED : weft_semaphore_wait_until(&me.woken, deadline);
    if (result == 0) return 0;
    if (!withdraw(me)) return 0;
    if (result != -ETIMEDOUT && !(result == -ECANCELED && stop.stop_requested()))
      detail::fail(result, "weft::condition_variable_any::wait");
    return result;
  }

  detail::spin_lock lock_;
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

}  // namespace weft
