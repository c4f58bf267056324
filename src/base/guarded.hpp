// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plain field that several threads use, one after the other: a lock or a publication orders them.
//
// In a model each access is checked for that; elsewhere it is the field itself.
#pragma once

#if defined(WEFT_MODEL)
#include "base/atomic_model.hpp"
#endif

#include "base/build.hpp"

namespace weft::rt {

template <class T>
class guarded {
 public:
  constexpr explicit guarded(T v = T{}) noexcept : v_(v) {}
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;

#if defined(WEFT_MODEL)
  T get() const { return v_(RL_INFO); }
  void set(T v) { v_(RL_INFO) = v; }

 private:
  mutable rl::var<T> v_;
#else
  T get() const noexcept { return v_; }
  void set(T v) noexcept { v_ = v; }

 private:
  T v_;
#endif
};

}  // namespace weft::rt
