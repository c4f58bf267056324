// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions: wait, with a mutex held, until another says that something has changed.
#pragma once

#include <utility>

#include "weft/cpp/lock.hpp"

namespace weft {

enum class cv_status { no_timeout, timeout };

// For a std::unique_lock (or the like: mutex() gives a pointer) of a mutex of Weft's. It may end
// when all who waited have returned; std allows that once they were notified.
class condition_variable {
 public:
  constexpr condition_variable() noexcept = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  void notify_one() noexcept { weft_condition_signal(&condition_); }
  void notify_all() noexcept { weft_condition_broadcast(&condition_); }

  template <class Lock>
  void wait(Lock& lock) {
    detail::must(weft_condition_wait(&condition_, lock.mutex()->native_handle()),
                 "weft::condition_variable::wait");
  }
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate until) {
    while (!until()) wait(lock);
  }
  template <class Lock, class Clock, class Duration>
  cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& t) {
    const int result = detail::wait_once_until(t, [&](int64_t at) {
      return weft_condition_wait_until(&condition_, lock.mutex()->native_handle(), at);
    });
    return detail::in_time(result, "weft::condition_variable::wait_until") ? cv_status::no_timeout
                                                                           : cv_status::timeout;
  }
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& t, Predicate until) {
    while (!until())
      if (wait_until(lock, t) == cv_status::timeout) return until();
    return true;
  }
  template <class Lock, class Rep, class Period>
  cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& d) {
    return wait_until(lock, detail::time_after(d));
  }
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& d, Predicate until) {
    return wait_until(lock, detail::time_after(d), std::move(until));
  }

  using native_handle_type = weft_condition_t*;
  native_handle_type native_handle() noexcept { return &condition_; }

 private:
  weft_condition_t condition_ = WEFT_CONDITION_INIT;
};

}  // namespace weft
