// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of whatever can be called, as by std::invoke, without its header: that would be a sixth of
// weft.hpp.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace weft::detail {

template <class F, class... Args>
  requires(!std::is_member_pointer_v<std::remove_cvref_t<F>>)
constexpr std::invoke_result_t<F, Args...> invoke(F&& f, Args&&... args) noexcept(
    std::is_nothrow_invocable_v<F, Args...>) {
  return std::forward<F>(f)(std::forward<Args>(args)...);
}

// What a member is looked up in: the object, what a reference_wrapper refers to, or what a pointer
// points at.
template <class Class, class T>
constexpr decltype(auto) whole(T&& object) {
  if constexpr (std::is_base_of_v<Class, std::remove_cvref_t<T>>) {
    return std::forward<T>(object);
  } else if constexpr (requires {
                         requires std::is_base_of_v<Class,
                                                    std::remove_cvref_t<decltype(object.get())>>;
                       }) {
    return object.get();
  } else {
    return *std::forward<T>(object);
  }
}

template <class M, class Class, class T, class... Args>
constexpr std::invoke_result_t<M Class::*, T, Args...> invoke(M Class::* member, T&& object,
                                                              Args&&... args) {
  if constexpr (std::is_function_v<M>) {
    return (whole<Class>(std::forward<T>(object)).*member)(std::forward<Args>(args)...);
  } else {
    return whole<Class>(std::forward<T>(object)).*member;
  }
}

// What a call gives. One that cannot be made has a type, too: who would make it says what is wrong.
template <class F, class... Args>
struct result_of_call {
  using type = void;
};
template <class F, class... Args>
  requires std::is_invocable_v<F, Args...>
struct result_of_call<F, Args...> {
  using type = std::invoke_result_t<F, Args...>;
};
template <class F, class... Args>
using result_of_call_t = typename result_of_call<F, Args...>::type;

// What a task calls, and with what. It ends with the task, by end(), which may come before the end
// of *this: of one that was not run.
template <class F>
class until_called {
 public:
  template <class... Given>
  explicit until_called(Given&&... given) : it_(std::forward<Given>(given)...) {}
  until_called(const until_called&) = delete;
  until_called& operator=(const until_called&) = delete;
  ~until_called() {
    if constexpr (!is_trivial) {
      if (!ended_) std::destroy_at(&it_);
    }
  }

  F& operator*() noexcept { return it_; }
  void end() noexcept {
    if constexpr (!is_trivial) {
      ended_ = true;
      std::destroy_at(&it_);
    }
  }

 private:
  static constexpr bool is_trivial = std::is_trivially_destructible_v<F>;

  union {
    F it_;
  };
  struct empty {};
  [[no_unique_address]] std::conditional_t<is_trivial, empty, bool> ended_{};
};

}  // namespace weft::detail
