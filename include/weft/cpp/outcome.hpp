// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function call came to: its value, or the exception that left it.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "weft/cpp/invoke.hpp"

namespace weft::detail {

// Calls f and gives its value; a reference is kept as a pointer, nothing as an empty object.
struct nothing {};
template <class T>
using kept = std::conditional_t<
    std::is_void_v<T>, nothing,
    std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<T>, std::remove_cv_t<T>>>;

template <class T, class F, class... Args>
kept<T> call_kept(F&& f, Args&&... args) {
  if constexpr (std::is_void_v<T>) {
    detail::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    return {};
  } else if constexpr (std::is_reference_v<T>) {
    T&& result = detail::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    return std::addressof(result);
  } else {
    return detail::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  }
}

template <class T>
T give_kept(kept<T>&& value) {
  if constexpr (std::is_void_v<T>) {
    return;
  } else if constexpr (std::is_reference_v<T>) {
    return static_cast<T>(*value);
  } else {
    return std::move(value);
  }
}

// Empty at first; filled once by one flow, read by another that is told so in some other way.
template <class T>
class outcome {
 public:
  outcome() noexcept {}
  outcome(const outcome&) = delete;
  outcome& operator=(const outcome&) = delete;
  ~outcome() {
    if (state_ == state::value) std::destroy_at(&value_);
    if (state_ == state::error) std::destroy_at(&error_);
  }

  bool empty() const noexcept { return state_ == state::empty; }
  bool failed() const noexcept { return state_ == state::error; }

  // Calls f and keeps what comes of it.
  template <class F, class... Args>
  void run(F&& f, Args&&... args) noexcept {
    try {
      ::new (static_cast<void*>(&value_))
          kept<T>(call_kept<T>(std::forward<F>(f), std::forward<Args>(args)...));
      state_ = state::value;
    } catch (...) {
      set_error(std::current_exception());
    }
  }
  // Also instead of a value, as when the end of a coroutine's locals throws within its own try.
  template <class... Args>
  void set_value(Args&&... args) {
    if (state_ == state::value) {
      state_ = state::empty;  // the construction may throw
      std::destroy_at(&value_);
    }
    ::new (static_cast<void*>(&value_)) kept<T>(std::forward<Args>(args)...);
    state_ = state::value;
  }
  // The same.
  void set_error(std::exception_ptr error) noexcept {
    if (state_ == state::value) std::destroy_at(&value_);
    ::new (static_cast<void*>(&error_)) std::exception_ptr(std::move(error));
    state_ = state::error;
  }

  // Gives the value away, or throws.
  T take() { return give_kept<T>(take_kept()); }
  kept<T> take_kept() {
    if (failed()) std::rethrow_exception(std::move(error_));
    return std::move(value_);
  }
  // Lets it be seen, or throws; again and again.
  std::add_lvalue_reference_t<std::add_const_t<T>> look() const {
    if (failed()) std::rethrow_exception(error_);
    if constexpr (std::is_void_v<T>) {
      return;
    } else if constexpr (std::is_reference_v<T>) {
      return *value_;
    } else {
      return value_;
    }
  }
  const std::exception_ptr& error() const noexcept { return error_; }

 private:
  enum class state : unsigned char { empty, value, error };

  union {
    kept<T> value_;
    std::exception_ptr error_;
  };
  state state_ = state::empty;
};

}  // namespace weft::detail
