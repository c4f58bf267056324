// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An atomic whose memory order is part of the name, so that models can be given one of the same
// names.
#pragma once

#include <atomic>

namespace weft::qt {

template <class T>
class ordered_atomic {
 public:
  constexpr explicit ordered_atomic(T v = T{}) noexcept : v_(v) {}
  ordered_atomic(const ordered_atomic&) = delete;
  ordered_atomic& operator=(const ordered_atomic&) = delete;

  T load_relaxed() const noexcept { return v_.load(std::memory_order_relaxed); }
  T load_acquire() const noexcept { return v_.load(std::memory_order_acquire); }
  void store_relaxed(T v) noexcept { v_.store(v, std::memory_order_relaxed); }
  void store_release(T v) noexcept { v_.store(v, std::memory_order_release); }
  T exchange_acquire(T v) noexcept { return v_.exchange(v, std::memory_order_acquire); }
  T add_relaxed(T v) noexcept { return v_.fetch_add(v, std::memory_order_relaxed); }
  // On failure `expected` is reloaded, relaxed.
  bool cas_relaxed(T& expected, T desired) noexcept {
    return v_.compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  }
  bool cas_release(T& expected, T desired) noexcept {
    return v_.compare_exchange_strong(expected, desired, std::memory_order_release,
                                      std::memory_order_relaxed);
  }

 private:
  std::atomic<T> v_;
};

}  // namespace weft::qt
