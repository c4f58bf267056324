// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A field that only the code running on its worker touches.
//
// Tasks on one worker never run at the same time, so the field needs no order and no atomic. A
// thread sanitizer sees each task as a thread of its own and knows no order between two tasks on
// one worker (which is what lets it find races between them), so there the field is a relaxed
// atomic.
#pragma once

#include <atomic>
#include <type_traits>

#include "base/build.hpp"

namespace weft::rt {

template <class T>
class owned {
 public:
  constexpr owned() noexcept = default;
  constexpr explicit owned(T v) noexcept : v_(v) {}
  owned(const owned&) = delete;
  owned& operator=(const owned&) = delete;

  T get() const noexcept {
    if constexpr (build::tsan) {
      return v_.load(std::memory_order_relaxed);
    } else {
      return v_;
    }
  }
  void set(T v) noexcept {
    if constexpr (build::tsan) {
      v_.store(v, std::memory_order_relaxed);
    } else {
      v_ = v;
    }
  }

 private:
  std::conditional_t<build::tsan, std::atomic<T>, T> v_{};
};

}  // namespace weft::rt
