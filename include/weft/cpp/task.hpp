// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks: spawn a callable, join its value or exception; what a task can do to itself.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/cpp/error.hpp"
#include "weft/cpp/invoke.hpp"
#include "weft/cpp/outcome.hpp"
#include "weft/cpp/time.hpp"
#include "weft/runtime.h"
#include "weft/select.h"
#include "weft/task.h"

namespace weft {

inline constexpr uint32_t anywhere = WEFT_ANYWHERE;

enum class priority : unsigned char { low, normal, high };

// How to spawn; weft/task.h says what each means.
struct spawn_options {
  bool work_first = false;  // run the child now; the rest of the caller can be stolen
  // The child never blocks: a blocking call in it throws. weft::await, weft::sync_wait and the end
  // of a task or group that has not ended end the process.
  bool stackless = false;
  bool sticky = false;   // once started it resumes only on the same worker
  bool save_fp = false;  // its rounding mode follows it
  bool next = false;     // before all that waits at its worker
  weft::priority priority = weft::priority::normal;  // a hint
  uint32_t worker = anywhere;  // that runs it; a WEFT_SHEPHERD(s), whose workers do; a pool
  const char* name = nullptr;  // for reports; lives as long as the task
};

template <class T>
class task;

namespace detail {

template <class T, class F>
struct join_clause;

// A callable that takes a std::stop_token first, if it can, else none; as std::jthread does.
template <class F, class... Args>
inline constexpr bool takes_stop = std::is_invocable_v<F, std::stop_token, Args...>;

template <class F, class... Args>
inline constexpr bool is_callable = takes_stop<F, Args...> || std::is_invocable_v<F, Args...>;

// As result_of_call, with a stop token first where that can be.
template <class F, class... Args>
struct call_result : result_of_call<F, Args...> {};
template <class... Args>  // for the spawn() that takes them
struct call_result<spawn_options, Args...> {};
template <class F, class... Args>
  requires takes_stop<F, Args...>
struct call_result<F, Args...> {
  using type = std::invoke_result_t<F, std::stop_token, Args...>;
};
template <class F, class... Args>
using call_result_t = typename call_result<std::decay_t<F>, std::decay_t<Args>...>::type;

inline weft_spawn_t to_c(const spawn_options& o) noexcept {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  if (o.work_first) how.flags |= WEFT_SPAWN_WORK_FIRST;
  if (o.stackless) how.flags |= WEFT_SPAWN_STACKLESS;
  if (o.sticky) how.flags |= WEFT_SPAWN_STICKY;
  if (o.save_fp) how.flags |= WEFT_SPAWN_SAVE_FP;
  if (o.next) how.flags |= WEFT_SPAWN_NEXT;
  if (o.priority == priority::low) how.flags |= WEFT_SPAWN_LOW;
  if (o.priority == priority::high) how.flags |= WEFT_SPAWN_HIGH;
  how.worker = o.worker;
  how.name = o.name;
  return how;
}

// What a task and who joins it share; the task's callable lies behind it.
template <class T>
struct packet {
  packet() = default;
  packet(const packet&) = delete;
  packet& operator=(const packet&) = delete;
  virtual ~packet() = default;

  weft_task_t handle = nullptr;
  std::stop_source stop{std::nostopstate};
  outcome<T> result;
};

template <class T, class F, class... Args>
struct callable_packet final : packet<T> {
  template <class G, class... Given>
  explicit callable_packet(G&& f, Given&&... args)
      : call(std::forward<G>(f), std::forward<Given>(args)...) {
    if constexpr (takes_stop<F, Args...>) this->stop = std::stop_source();
  }

  static void* run(void* me) {
    auto& p = *static_cast<callable_packet*>(me);
    p.call_all(*p.call, std::index_sequence_for<F, Args...>());
    p.call.end();
    return nullptr;
  }

  template <std::size_t F0, std::size_t... I>
  void call_all(std::tuple<F, Args...>& all, std::index_sequence<F0, I...>) {
    if constexpr (takes_stop<F, Args...>) {
      this->result.run(std::move(std::get<F0>(all)), this->stop.get_token(),
                       std::move(std::get<I>(all))...);
    } else {
      this->result.run(std::move(std::get<F0>(all)), std::move(std::get<I>(all))...);
    }
  }

  until_called<std::tuple<F, Args...>> call;
};

template <class T, class F, class... Args>
std::unique_ptr<packet<T>> spawn_packet(const spawn_options* how, F&& f, Args&&... args) {
  static_assert(is_callable<std::decay_t<F>, std::decay_t<Args>...>,
                "weft::spawn: it cannot be called with copies of these arguments; std::ref(x) "
                "passes x itself");
  using made = callable_packet<T, std::decay_t<F>, std::decay_t<Args>...>;
  auto p = std::make_unique<made>(std::forward<F>(f), std::forward<Args>(args)...);
  if (how == nullptr) {
    must(weft_task_spawn(made::run, p.get(), &p->handle), "weft::spawn");
  } else {
    const weft_spawn_t c = to_c(*how);
    must(weft_task_spawn_with(made::run, p.get(), &c, &p->handle), "weft::spawn");
  }
  return p;
}

template <class F>
struct detached_packet {
  static void* run(void* me) noexcept {
    const std::unique_ptr<detached_packet> p(static_cast<detached_packet*>(me));
    detail::invoke(std::move(p->f));
    return nullptr;
  }
  F f;
};

}  // namespace detail

// A task and the value it will have. Who destroys one that was not joined requests a stop, if its
// callable takes a std::stop_token, and joins it. After weft_stop, or in a child of fork(), it can
// still be destroyed, but not once Weft was started anew: then its handle is another's.
template <class T>
class [[nodiscard]] task {
 public:
  task() noexcept = default;
  task(task&& other) noexcept = default;
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      end();
      packet_ = std::move(other.packet_);
    }
    return *this;
  }
  ~task() { end(); }

  [[nodiscard]] bool joinable() const noexcept { return packet_ != nullptr; }

  // Waits for the end; gives the value, or throws what left the callable. Once.
  T join() {
    wait();
    const std::unique_ptr<detail::packet<T>> p = std::move(packet_);
    return p->result.take();
  }

  // Waits for the end, and leaves value or exception for join.
  void wait() {
    check();
    if (packet_->handle == nullptr) return;
    detail::must(weft_task_join(packet_->handle, nullptr), "weft::task::wait");
    packet_->handle = nullptr;
  }
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& d) {
    return wait_until(detail::time_after(d));
  }
  // False: it has not ended until then. Such a wait does not run the task on the caller's stack. In
  // the scope of a canceller it is cancelled, as a select is; wait() and join() are not.
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& t) {
    check();
    if (packet_->handle == nullptr) return true;
    weft_case_t end = weft_case_join(packet_->handle, nullptr);
    const int taken =
        detail::wait_until(t, [&](int64_t at) { return weft_case_select_until(&end, 1, at); });
    if (!detail::in_time(taken < 0 ? taken : end.result, "weft::task::wait_until")) return false;
    packet_->handle = nullptr;
    return true;
  }
  // Whether it has ended.
  bool done() {
    check();
    if (packet_->handle == nullptr) return true;
    if (!detail::at_once(weft_task_try_join(packet_->handle, nullptr), "weft::task::done"))
      return false;
    packet_->handle = nullptr;
    return true;
  }

  // Without effect unless the callable takes a std::stop_token, and where it was not waited for and
  // Weft does not run. Stop callbacks are called here and must not wait: see spawn().
  bool request_stop() noexcept {
    if (packet_ == nullptr || (packet_->handle != nullptr && weft_worker_count() == 0))
      return false;
    return packet_->stop.request_stop();
  }
  std::stop_source get_stop_source() const noexcept {
    return packet_ != nullptr ? packet_->stop : std::stop_source(std::nostopstate);
  }
  std::stop_token get_stop_token() const noexcept { return get_stop_source().get_token(); }

  // For the C functions that borrow it; NULL when a wait has seen the end.
  weft_task_t native_handle() const noexcept {
    return packet_ != nullptr ? packet_->handle : nullptr;
  }

 private:
  template <class U, class F>
  friend struct detail::join_clause;
  template <class F, class... Args>
  friend auto spawn(F&& f, Args&&... args) -> task<detail::call_result_t<F, Args...>>;
  template <class F, class... Args>
  friend auto spawn(const spawn_options& how, F&& f, Args&&... args)
      -> task<detail::call_result_t<F, Args...>>;

  explicit task(std::unique_ptr<detail::packet<T>> p) noexcept : packet_(std::move(p)) {}

  void ended() noexcept { packet_->handle = nullptr; }
  void check() const {
    detail::must(packet_ != nullptr ? 0 : -EINVAL, "weft::task: joined or moved away before");
  }
  void end() noexcept {
    if (packet_ == nullptr) return;
    // Who waits for it in a task that weft_stop abandoned, or in the parent, is not there any more.
    if (weft_worker_count() != 0) packet_->stop.request_stop();
    if (packet_->handle != nullptr) {
      const int result = weft_task_join(packet_->handle, nullptr);
      // After a weft_stop, or in a child of fork(), nothing runs any more.
      if (result != -ENOTCONN) detail::must_not_fail(result, "weft::~task");
    }
    packet_.reset();
  }

  std::unique_ptr<detail::packet<T>> packet_;
};

// Spawns a task that calls f(args...), or f(stop_token, args...) if it can be called so. All are
// copied or moved; use std::ref for what shall not be.
//
// A std::stop_callback must not wait, not for a mutex either: of Weft's it may call only what says
// "Blocks: never", as a notify or weft::canceller::request. The standard library tells by the OS
// thread whether a callback is destroyed by itself; one that has parked could be destroyed by
// another task of its thread before it is over.
template <class F, class... Args>
auto spawn(F&& f, Args&&... args) -> task<detail::call_result_t<F, Args...>> {
  using value = detail::call_result_t<F, Args...>;
  return task<value>(
      detail::spawn_packet<value>(nullptr, std::forward<F>(f), std::forward<Args>(args)...));
}
template <class F, class... Args>
auto spawn(const spawn_options& how, F&& f, Args&&... args)
    -> task<detail::call_result_t<F, Args...>> {
  using value = detail::call_result_t<F, Args...>;
  return task<value>(
      detail::spawn_packet<value>(&how, std::forward<F>(f), std::forward<Args>(args)...));
}

// Spawns a task that nobody joins. An exception that leaves f ends the process.
template <class F>
void spawn_detached(F&& f, const spawn_options& how = {}) {
  static_assert(std::is_invocable_v<std::decay_t<F>>,
                "weft::spawn_detached: it cannot be called without arguments");
  using made = detail::detached_packet<std::decay_t<F>>;
  auto p = std::unique_ptr<made>(new made{std::forward<F>(f)});
  const weft_spawn_t c = detail::to_c(how);
  detail::must(weft_task_spawn_with(made::run, p.get(), &c, nullptr), "weft::spawn_detached");
  (void)p.release();  // the task's, from the spawn on
}

namespace this_task {

inline weft_task_t handle() noexcept { return weft_task_self(); }
// 1 and up, of no other task of this process; 0 outside a task.
inline uint64_t id() noexcept { return weft_task_id(nullptr); }
inline uint32_t worker() noexcept { return weft_worker_index(); }

// Outside a task the OS thread yields.
inline void yield() {
  const int result = weft_task_yield();
  if (result != -ENOTCONN) detail::must(result, "weft::this_task::yield");
}
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& d) {
  detail::must(weft_task_sleep_until(detail::deadline_after(d)), "weft::this_task::sleep_for");
}
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& t) {
  detail::wait_until(t, [](int64_t at) {
    detail::must(weft_task_sleep_until(at), "weft::this_task::sleep_until");
    return -ETIMEDOUT;
  });
}

}  // namespace this_task

}  // namespace weft
