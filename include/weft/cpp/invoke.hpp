// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of whatever can be called, as by std::invoke, without its header: that would be a sixth of
// weft.hpp.
#pragma once

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

}  // namespace weft::detail
