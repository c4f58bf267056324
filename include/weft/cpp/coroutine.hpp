// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coroutines beside tasks: a coroutine awaits what Weft waits for, a task waits for a coroutine.
//
// In a coroutine that runs in a task every call of Weft may simply wait: the task parks, and the
// coroutine with it. What stands here is for the ways between the two worlds.
//
// After a co_await a coroutine may go on in another task. So what belongs to a flow, scopes of
// cancellers and recursive locks, must not live across one.
#pragma once

#include <cerrno>
#include <coroutine>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/cpp/cancel.hpp"
#include "weft/cpp/error.hpp"
#include "weft/cpp/future.hpp"
#include "weft/cpp/outcome.hpp"
#include "weft/cpp/sync.hpp"
#include "weft/cpp/task.hpp"
#include "weft/runtime.h"

namespace weft {

template <class T>
class coro;

namespace detail {

// The end of a coro: whoever awaits it goes on.
struct final_awaiter {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
    return ended.promise().awaiting;
  }
  void await_resume() const noexcept {}
};

template <class T>
struct coro_promise_base {
  std::suspend_always initial_suspend() const noexcept { return {}; }
  final_awaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { result.set_error(std::current_exception()); }

  outcome<T> result;
  std::coroutine_handle<> awaiting;
};
template <class T>
struct coro_promise : coro_promise_base<T> {
  coro<T> get_return_object() noexcept;
  template <class U = T>
  void return_value(U&& value) {
    if constexpr (std::is_reference_v<T>) {
      this->result.set_value(std::addressof(value));
    } else {
      this->result.set_value(std::forward<U>(value));
    }
  }
};
template <>
struct coro_promise<void> : coro_promise_base<void> {
  coro<void> get_return_object() noexcept;
  void return_void() { this->result.set_value(); }
};

}  // namespace detail

// A coroutine that gives a T: begins when it is awaited, by co_await in another coroutine or by
// weft::await in a task, and is awaited once.
template <class T = void>
class [[nodiscard]] coro {
 public:
  using promise_type = detail::coro_promise<T>;

  coro(coro&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  coro& operator=(coro&& other) noexcept {
    coro(std::move(other)).swap(*this);
    return *this;
  }
  ~coro() {
    if (frame_) frame_.destroy();
  }

  auto operator co_await() && {
    struct awaiter {
      std::coroutine_handle<promise_type> frame;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
        frame.promise().awaiting = awaiting;
        return frame;
      }
      T await_resume() const { return frame.promise().result.take(); }
    };
    const bool fresh = frame_ && !frame_.promise().awaiting;
    detail::must(fresh ? 0 : -EINVAL, "weft::coro: awaited or moved away before");
    return awaiter{frame_};
  }

 private:
  friend promise_type;
  explicit coro(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  void swap(coro& other) noexcept { std::swap(frame_, other.frame_); }

  std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T>
coro<T> coro_promise<T>::get_return_object() noexcept {
  return coro<T>(std::coroutine_handle<coro_promise>::from_promise(*this));
}
inline coro<void> coro_promise<void>::get_return_object() noexcept {
  return coro<void>(std::coroutine_handle<coro_promise>::from_promise(*this));
}

// What co_await of an A gives.
template <class A>
decltype(auto) awaiter_of(A&& a) {
  if constexpr (requires { std::forward<A>(a).operator co_await(); }) {
    return std::forward<A>(a).operator co_await();
  } else if constexpr (requires { operator co_await(std::forward<A>(a)); }) {
    return operator co_await(std::forward<A>(a));
  } else {
    return std::forward<A>(a);
  }
}
template <class A>
using await_result = decltype(awaiter_of(std::declval<A>()).await_resume());

// Runs a coro and opens a latch behind it.
struct starter {
  struct promise_type {
    starter get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    auto final_suspend() const noexcept {
      struct opens {
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> me) const noexcept {
          weft_latch_count_down(me.promise().ended, 1);  // last use of the frame
        }
        void await_resume() const noexcept {}
      };
      return opens{};
    }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }

    weft_latch_t* ended = nullptr;
  };
  std::coroutine_handle<promise_type> frame;
};

// Nobody can be told that there is no memory for a task: then it goes on where it is.
inline void resume_in_task(std::coroutine_handle<> frame) noexcept {
  const weft_fn_t resume = [](void* address) -> void* {
    std::coroutine_handle<>::from_address(address).resume();
    return nullptr;
  };
  if (weft_task_spawn(resume, frame.address(), nullptr) != 0) frame.resume();
}

template <class A, class T>
starter run_and_keep(A&& awaited, outcome<T>& result) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::forward<A>(awaited);
      result.set_value();
    } else if constexpr (std::is_reference_v<T>) {
      auto&& value = co_await std::forward<A>(awaited);
      result.set_value(std::addressof(value));
    } else {
      result.set_value(co_await std::forward<A>(awaited));
    }
  } catch (...) {
    result.set_error(std::current_exception());
  }
}

}  // namespace detail

// Waits in a task, or in another thread, for anything that coroutines can co_await, as it is given;
// gives its value. What can be run at once runs on the caller's stack. Where the caller may not
// wait (stackless) or cannot (no memory for another stack), the process ends with a line: what it
// would leave is in use.
template <class A>
auto await(A&& awaited) -> detail::await_result<A&&> {
  detail::outcome<detail::await_result<A&&>> result;
  latch ended(1);
  const detail::starter run = detail::run_and_keep(std::forward<A>(awaited), result);
  run.frame.promise().ended = ended.native_handle();
  run.frame.resume();
  // The coroutine's frame and result are here: there is no leaving before it has ended.
  const cancel_shield shield;
  detail::must_not_fail(weft_latch_wait(ended.native_handle()), "weft::await");
  run.frame.destroy();
  return result.take();
}

// co_await of these goes on in a task of its own.
//
// A future: where it is set already the coroutine goes on at once, where it is. With an exception
// that is set while Weft does not run, as after weft_stop, it goes on where that is set.
template <class T>
auto operator co_await(future<T>&& f) noexcept {
  struct awaiter {
    future<T> f;
    bool await_ready() const { return f.ready(); }
    void await_suspend(std::coroutine_handle<> me) {
      detail::future_state<T>* const s = detail::future_access::whole_state(f);
      s->when_set([me, s] {
        if (s->result.failed() && weft_worker_count() == 0) {
          me.resume();  // the end of a promise starts nothing
        } else {
          detail::resume_in_task(me);
        }
      });
    }
    T await_resume() { return f.get(); }
  };
  return awaiter{std::move(f)};
}

// Any function that waits: it is called in a task, and the coroutine goes on in that task.
//   std::optional<int> next = co_await weft::in_task([&] { return numbers.receive(); });
template <class F>
auto in_task(F f) {
  struct awaiter {
    using value = std::invoke_result_t<F&>;
    F call;
    detail::outcome<value> result = {};

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> me) {
      weft::spawn_detached([this, me] {
        result.run(call);
        me.resume();
      });
    }
    value await_resume() { return result.take(); }
  };
  return awaiter{std::move(f)};
}

// Goes on in a task: from there on the coroutine may wait as tasks do.
inline auto go_to_task() {
  return in_task([] {});
}

// The end of a task, whose value it gives.
template <class T>
auto operator co_await(task<T>&& t) {
  return in_task([t = std::move(t)]() mutable -> T { return t.join(); });
}

}  // namespace weft
