// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes that fit std::lock_guard, std::unique_lock, std::scoped_lock and std::shared_lock.
//
// All work in tasks and in other threads alike, whether Weft runs or not; who must wait parks, and
// so may go on on another OS thread. A call that cannot be done throws std::system_error:
// weft/lock.h says when.
#pragma once

#include "weft/cpp/error.hpp"
#include "weft/cpp/time.hpp"
#include "weft/lock.h"

namespace weft {

namespace detail {

// What the mutexes share; they differ in the flags of weft_mutex_init.
class mutex_base {
 public:
  mutex_base(const mutex_base&) = delete;
  mutex_base& operator=(const mutex_base&) = delete;

  void lock() { must(weft_mutex_lock(&mutex_), "weft::mutex::lock"); }
  [[nodiscard]] bool try_lock() {
    return at_once(weft_mutex_try_lock(&mutex_), "weft::mutex::try_lock");
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& d) {
    return try_lock_until(time_after(d));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& t) {
    return in_time(wait_until(t, [this](int64_t at) { return weft_mutex_lock_until(&mutex_, at); }),
                   "weft::mutex::try_lock_until");
  }
  void unlock() noexcept { must_not_fail(weft_mutex_unlock(&mutex_), "weft::mutex::unlock"); }

  using native_handle_type = weft_mutex_t*;
  native_handle_type native_handle() noexcept { return &mutex_; }

 protected:
  constexpr mutex_base() noexcept = default;
  explicit mutex_base(uint32_t flags) noexcept { weft_mutex_init(&mutex_, flags); }
  ~mutex_base() = default;

 private:
  weft_mutex_t mutex_ = WEFT_MUTEX_INIT;
};

}  // namespace detail

// Who comes at the right moment may get it before those who wait, as with std::mutex.
class mutex : public detail::mutex_base {
 public:
  constexpr mutex() noexcept = default;
};

// Its owner may lock it again.
class recursive_mutex : public detail::mutex_base {
 public:
  recursive_mutex() noexcept : mutex_base(WEFT_MUTEX_RECURSIVE) {}
};

// Strictly first come, first served, which costs a switch for each lock while many want it.
class fair_mutex : public detail::mutex_base {
 public:
  fair_mutex() noexcept : mutex_base(WEFT_MUTEX_HAND_OVER) {}
};

// Many readers or one writer. Read locks do not nest: see weft/lock.h.
class shared_mutex {
 public:
  constexpr shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  void lock() { detail::must(weft_rwlock_write_lock(&lock_), "weft::shared_mutex::lock"); }
  [[nodiscard]] bool try_lock() {
    return detail::at_once(weft_rwlock_try_write_lock(&lock_), "weft::shared_mutex::try_lock");
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& d) {
    return try_lock_until(detail::time_after(d));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& t) {
    return detail::in_time(
        detail::wait_until(t,
                           [this](int64_t at) { return weft_rwlock_write_lock_until(&lock_, at); }),
        "weft::shared_mutex::try_lock_until");
  }
  void unlock() noexcept {
    detail::must_not_fail(weft_rwlock_write_unlock(&lock_), "weft::shared_mutex::unlock");
  }

  void lock_shared() {
    detail::must(weft_rwlock_read_lock(&lock_), "weft::shared_mutex::lock_shared");
  }
  [[nodiscard]] bool try_lock_shared() {
    return detail::at_once(weft_rwlock_try_read_lock(&lock_),
                           "weft::shared_mutex::try_lock_shared");
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& d) {
    return try_lock_shared_until(detail::time_after(d));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& t) {
    return detail::in_time(
        detail::wait_until(t,
                           [this](int64_t at) { return weft_rwlock_read_lock_until(&lock_, at); }),
        "weft::shared_mutex::try_lock_shared_until");
  }
  void unlock_shared() noexcept {
    detail::must_not_fail(weft_rwlock_read_unlock(&lock_), "weft::shared_mutex::unlock_shared");
  }

  using native_handle_type = weft_rwlock_t*;
  native_handle_type native_handle() noexcept { return &lock_; }

 private:
  weft_rwlock_t lock_ = WEFT_RWLOCK_INIT;
};

}  // namespace weft
