// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fork and join in place: the child's type is known, its descriptor stands in the caller's frame.
#pragma once

#include <cerrno>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/cpp/error.hpp"
#include "weft/cpp/fork_abi.hpp"
#include "weft/cpp/invoke.hpp"
#include "weft/cpp/outcome.hpp"
#include "weft/cpp/sanitizer.hpp"
#include "weft/fork.h"

namespace weft {

namespace detail {

// Small enough that a copy costs no more than a pointer to it, and a call in place then need not
// follow one.
template <class T>
consteval bool is_light() {
  if constexpr (std::is_object_v<T> && std::is_trivially_copyable_v<T> &&
                std::is_copy_constructible_v<T>) {
    return sizeof(T) <= 2 * sizeof(void*);
  } else {
    return false;
  }
}

// What a fork keeps of the F&& it was given: a light temporary itself, of anything else a
// reference.
template <class F>
using fork_body = std::conditional_t<is_light<F>(), F, std::remove_reference_t<F>&>;

// A fork of an f, which gives an A; Body is f or a reference to it. Between start and one of the
// others it must stay where it is. What the thread sanitizer has to be told is told by the library,
// so there all goes through its functions.
template <class A, class Body>
class forked {
 public:
  explicit forked(std::remove_reference_t<Body>& f) noexcept : f_(f) {}
  forked(const forked&) = delete;
  forked& operator=(const forked&) = delete;
  ~forked() {
  }  // NOLINT(modernize-use-equals-default): outcome_ has ended, or never began, or is left

  [[gnu::always_inline]] void start() {
    bool tell = false;
    if (!thread_sanitizer && abi::push(*task(), run, this, tell)) [[likely]] {
      if (tell) [[unlikely]]
        weft_fork_share();
    } else {
      must(weft_fork_start(&fork_, run, this), "weft::fork");
    }
  }

  // The value, or the exception: as a plain call of f if nobody has taken the fork.
  [[gnu::always_inline]] kept<A> join() {
    if constexpr (!thread_sanitizer) {
      if (abi::worker* const w = abi::take(*task())) [[likely]] {
        abi::enter(*w, *task());
        called here{*this, w};
        kept<A> a = call_kept<A>(f_);
        here.w = nullptr;
        if (abi::leave(*w, *task())) [[likely]]
          return a;
        // Through the call, so that the value need not survive one in the plain case.
        if constexpr (is_light<kept<A>>()) {
          return end_called(a);
        } else {
          weft_fork_end(&fork_);
          return a;
        }
      }
    }
    return join_elsewhere();
  }

  // The same in a frame that may be deeper than start()'s: a call in place needs the child's stack.
  kept<A> join_below() {
    if constexpr (!thread_sanitizer) {
      const abi::worker* const w = abi::fork_self();
      if (w != nullptr && abi::stack_pointer() < w->inline_floor) [[unlikely]]
        return join_elsewhere();
    }
    return join();
  }

  // Waits, or runs it, and drops value or exception. After weft_stop, or in a child of fork(),
  // nobody knows whether it has run: then what it left is left.
  [[gnu::cold, gnu::noinline]] void drop() noexcept {
    const int result = weft_fork_join(&fork_, nullptr);
    if (result == -ENOTCONN) return;
    must_not_fail(result, "weft::fork");
    std::destroy_at(&outcome_);
  }

 private:
  // The end of a call in place that an exception leaves.
  struct called {
    forked& child;
    abi::worker* w;  // null: no exception did
    [[gnu::always_inline]] ~called() {
      if (w != nullptr && !abi::leave(*w, *child.task())) weft_fork_end(&child.fork_);
    }
  };

  [[gnu::cold, gnu::noinline]] kept<A> end_called(kept<A> a) {
    weft_fork_end(&fork_);
    return a;
  }

  // Called by whoever took it.
  static void* run(void* me) {
    forked& child = *static_cast<forked*>(me);
    std::construct_at(&child.outcome_)->run(child.f_);
    return nullptr;
  }

  [[gnu::noinline]] kept<A> join_elsewhere() {
    const int result = weft_fork_join(&fork_, nullptr);
    if (result == -ENOTCONN) [[unlikely]]
      fail(result, "weft::fork");
    must_not_fail(result, "weft::fork");
    const struct ends {
      outcome<A>* it;
      ~ends() { std::destroy_at(it); }
    } after{&outcome_};
    return outcome_.take_kept();
  }

  abi::task* task() noexcept { return reinterpret_cast<abi::task*>(&fork_); }

  weft_fork_t fork_;
  Body f_;
  union {
    outcome<A> outcome_;  // lives from run() to join_elsewhere() or drop()
  };
};

// What two calls give together: the pair, or the value of the one that has any, or nothing.
template <class A, class B>
struct joined {
  using type = std::pair<A, B>;
};
template <class A>
  requires(!std::is_void_v<A>)
struct joined<A, void> {
  using type = A;
};
template <class B>
struct joined<void, B> {
  using type = B;
};

}  // namespace detail

// Calls f() and g() at once, if another worker takes f, else one after the other; gives both
// values. f is a task of its own, g goes on in the caller. An exception of g goes before one of f;
// both calls have ended in any case, so where f is taken and there is no memory to wait for it, the
// process ends with a line. Costs little more than two calls.
template <class F, class G>
auto fork_join(F&& f, G&& g) ->
    typename detail::joined<detail::result_of_call_t<F&>, detail::result_of_call_t<G&>>::type {
  static_assert(std::is_invocable_v<F&>,
                "weft::fork_join: the first cannot be called without arguments");
  static_assert(std::is_invocable_v<G&>,
                "weft::fork_join: the second cannot be called without arguments");
  using A = detail::result_of_call_t<F&>;
  using B = detail::result_of_call_t<G&>;
  using both = typename detail::joined<A, B>::type;
  detail::forked<A, detail::fork_body<F>> child(f);
  child.start();
  const auto run_here = [&]() -> detail::kept<B> {
    try {
      return detail::call_kept<B>(g);
    } catch (...) {
      child.drop();
      throw;
    }
  };
  detail::kept<B> b = run_here();
  detail::kept<A> a = child.join();
  if constexpr (std::is_void_v<A>) {
    return detail::give_kept<B>(std::move(b));
  } else if constexpr (std::is_void_v<B>) {
    return detail::give_kept<A>(std::move(a));
  } else {
    return both(detail::give_kept<A>(std::move(a)), detail::give_kept<B>(std::move(b)));
  }
}

// Several at once: the first ones as tasks, the last one in the caller. What they return is
// dropped.
template <class F>
void invoke_all(F&& f) {
  static_assert(std::is_invocable_v<F&>,
                "weft::invoke_all: one cannot be called without arguments");
  (void)detail::invoke(f);
}
template <class F, class G, class... More>
void invoke_all(F&& f, G&& g, More&&... more) {
  static_assert(std::is_invocable_v<F&>,
                "weft::invoke_all: one cannot be called without arguments");
  fork_join([&] { (void)detail::invoke(f); }, [&] { weft::invoke_all(g, more...); });
}

// The same in two steps: started where it is declared, joined by join() or at the end of its scope,
// which drops value and exception. Forks of one scope are best joined in the opposite order of
// their start. After weft_stop, or in a child of fork(), join() throws (ENOTCONN), and the scope
// may still end, but not once Weft was started anew.
template <class F>
class [[nodiscard]] scoped_fork {
  static_assert(std::is_invocable_v<F&>,
                "weft::scoped_fork: it cannot be called without arguments");
  using value = detail::result_of_call_t<F&>;

 public:
  explicit scoped_fork(F f) : f_(std::move(f)), child_(f_) { child_.start(); }
  scoped_fork(const scoped_fork&) = delete;
  scoped_fork& operator=(const scoped_fork&) = delete;
  ~scoped_fork() {
    if (!joined_) child_.drop();
  }
  // In a frame, not on the heap: a call in place looks at the stack it is made on.
  static void* operator new(std::size_t) = delete;
  static void* operator new[](std::size_t) = delete;

  // Once.
  value join() {
    must_be_first();
    return detail::give_kept<value>(child_.join_below());
  }

 private:
  void must_be_first() {
    if (joined_) [[unlikely]]
      detail::fail(-EINVAL, "weft::scoped_fork: joined before");
    joined_ = true;
  }

  F f_;
  detail::forked<value, F&> child_;
  bool joined_ = false;
};

}  // namespace weft
