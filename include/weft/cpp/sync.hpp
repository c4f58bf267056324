// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores, latches, barriers, call_once: as their namesakes in std, for tasks and threads alike.
//
// A call that cannot be done throws std::system_error: weft/sync.h says when.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "weft/cpp/invoke.hpp"
#include "weft/cpp/lock.hpp"
#include "weft/sync.h"

namespace weft {

template <std::ptrdiff_t Max = INT32_MAX>
class counting_semaphore {
  static_assert(Max >= 0 && Max <= INT32_MAX);

 public:
  // At most max() units, as release() says.
  constexpr explicit counting_semaphore(std::ptrdiff_t units)
      : semaphore_ WEFT_SEMAPHORE_INIT(static_cast<uint64_t>(units)) {
    if (units < 0 || units > Max) detail::fail(-EINVAL, "weft::counting_semaphore");
  }
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;

  static constexpr std::ptrdiff_t max() noexcept { return Max; }

  void release(std::ptrdiff_t units = 1) {
    detail::must(units < 0 || units > Max
                     ? -EINVAL
                     : weft_semaphore_post(&semaphore_, static_cast<uint32_t>(units)),
                 "weft::counting_semaphore::release");
  }
  void acquire() {
    detail::must(weft_semaphore_wait(&semaphore_), "weft::counting_semaphore::acquire");
  }
  [[nodiscard]] bool try_acquire() {
    return detail::at_once(weft_semaphore_try_wait(&semaphore_),
                           "weft::counting_semaphore::try_acquire");
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& d) {
    return try_acquire_until(detail::time_after(d));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& t) {
    return detail::in_time(
        detail::wait_until(
            t, [this](int64_t at) { return weft_semaphore_wait_until(&semaphore_, at); }),
        "weft::counting_semaphore::try_acquire_until");
  }

  weft_semaphore_t* native_handle() noexcept { return &semaphore_; }

 private:
  weft_semaphore_t semaphore_;
};

using binary_semaphore = counting_semaphore<1>;

class latch {
 public:
  constexpr explicit latch(uint32_t count) noexcept : latch_ WEFT_LATCH_INIT(count) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  void count_down(uint32_t by = 1) {
    detail::must(weft_latch_count_down(&latch_, by), "weft::latch::count_down");
  }
  void count_up(uint32_t by = 1) {
    detail::must(weft_latch_count_up(&latch_, by), "weft::latch::count_up");
  }
  [[nodiscard]] bool try_wait() const {
    return detail::at_once(weft_latch_try_wait(&latch_), "weft::latch::try_wait");
  }
  void wait() const { detail::must(weft_latch_wait(&latch_), "weft::latch::wait"); }
  void arrive_and_wait(uint32_t by = 1) {
    count_down(by);
    wait();
  }
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& d) const {
    return wait_until(detail::time_after(d));
  }
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& t) const {
    return detail::in_time(
        detail::wait_until(t, [this](int64_t at) { return weft_latch_wait_until(&latch_, at); }),
        "weft::latch::wait_until");
  }

  weft_latch_t* native_handle() noexcept { return &latch_; }

 private:
  mutable weft_latch_t latch_;  // who waits stands in it
};

class barrier {
 public:
  explicit barrier(uint32_t parties) {
    detail::must(weft_barrier_init(&barrier_, parties), "weft::barrier");
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  // True for the one that came last.
  bool arrive_and_wait() {
    return detail::must(weft_barrier_wait(&barrier_), "weft::barrier::arrive_and_wait") == 1;
  }
  // False: not all came in time, and the arrival was taken back.
  template <class Rep, class Period>
  bool arrive_and_wait_for(const std::chrono::duration<Rep, Period>& d) {
    return arrive_and_wait_until(detail::time_after(d));
  }
  template <class Clock, class Duration>
  bool arrive_and_wait_until(const std::chrono::time_point<Clock, Duration>& t) {
    return detail::in_time(
        detail::wait_until(t,
                           [this](int64_t at) { return weft_barrier_wait_until(&barrier_, at); }),
        "weft::barrier::arrive_and_wait_until");
  }

  weft_barrier_t* native_handle() noexcept { return &barrier_; }

 private:
  weft_barrier_t barrier_;
};

// As std::once_flag: if the call throws, it has not been done, and the next one tries.
class once_flag {
 public:
  constexpr once_flag() noexcept = default;
  once_flag(const once_flag&) = delete;
  once_flag& operator=(const once_flag&) = delete;

 private:
  template <class F, class... Args>
  friend void call_once(once_flag& flag, F&& f, Args&&... args);

  std::atomic<bool> done_{false};
  mutex trying_;
};

template <class F, class... Args>
void call_once(once_flag& flag, F&& f, Args&&... args) {
  if (flag.done_.load(std::memory_order_acquire)) return;
  flag.trying_.lock();
  const struct unlocks {
    once_flag& flag;
    ~unlocks() { flag.trying_.unlock(); }
  } after{flag};
  if (flag.done_.load(std::memory_order_relaxed)) return;
  detail::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  flag.done_.store(true, std::memory_order_release);
}

}  // namespace weft
