// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scope that its tasks do not outlive: waited for together, cancelled together.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "weft/cpp/error.hpp"
#include "weft/cpp/invoke.hpp"
#include "weft/cpp/spin.hpp"
#include "weft/cpp/stop.hpp"
#include "weft/cpp/task.hpp"
#include "weft/cpp/time.hpp"
#include "weft/runtime.h"
#include "weft/select.h"
#include "weft/task.h"

namespace weft {

// Tasks, other threads and the group's own tasks may spawn into it, while somebody waits too. The
// first exception that leaves one of them cancels the group and is thrown by the wait. A cancelled
// group runs no task that has not begun, and asks the others to stop by their std::stop_token; it
// stays cancelled. A task's callable is destroyed in the task; the rest of its memory is kept until
// the next wait. One waits at a time.
class group {
 public:
  group() = default;
  // Cancelled when `parent` is told to stop.
  explicit group(const std::stop_token& parent)
      : parent_(std::make_unique<link>(parent, cancels{this})) {}
  group(const group&) = delete;
  group& operator=(const group&) = delete;
  // Cancels, and waits. Who wants all to run calls wait() before. After weft_stop as ~task.
  ~group() {
    if (weft_worker_count() != 0) cancel();
    finish();
  }

  // Spawns a task that calls f(), or f(std::stop_token) if it can be called so.
  template <class F>
  void spawn(F&& f, const spawn_options& how = {}) {
    static_assert(detail::is_callable<std::decay_t<F>>,
                  "weft::group::spawn: it can be called neither without arguments nor with a "
                  "std::stop_token");
    using made = member_of<std::decay_t<F>>;
    auto m = std::make_unique<made>(*this, std::forward<F>(f));
    const weft_spawn_t c = detail::to_c(how);
    detail::must(weft_task_spawn_with(made::run, m.get(), &c, &m->handle), "weft::group::spawn");
    push(m.release(), 1);
  }

  // Until all tasks have ended, those that are spawned meanwhile too. Throws the first exception
  // that left one of them, once. Not cancelled by the scope of a canceller, as joins are not; the
  // waits by time are.
  void wait() {
    join_all();
    end_wait();
  }
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& d) {
    return wait_until(detail::time_after(d));
  }
  // False: not all have ended until then.
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& t) {
    std::size_t ended = 0;
    while (member* const m = pop(ended)) {
      weft_case_t end = weft_case_join(m->handle, nullptr);
      const int taken =
          detail::wait_until(t, [&](int64_t at) { return weft_case_select_until(&end, 1, at); });
      const int result = taken < 0 ? taken : end.result;
      if (is_over(result)) {
        ended = remove(m, result);
        continue;
      }
      push(m);
      if (!detail::in_time(result, "weft::group::wait_until")) return false;
    }
    end_wait();
    return true;
  }

  // Stop callbacks are called here and must not wait: see weft::spawn. Without effect where Weft
  // does not run and had tasks of the group that were not waited for.
  void cancel() noexcept {
    if (weft_worker_count() != 0 || !has_members()) stop_.request_stop();
  }
  [[nodiscard]] bool cancelled() const noexcept { return stop_.stop_requested(); }
  std::stop_token get_stop_token() const noexcept { return stop_.get_token(); }

 private:
  struct member {
    explicit member(group& of) noexcept : in(of) {}
    member(const member&) = delete;
    member& operator=(const member&) = delete;
    virtual ~member() = default;

    group& in;
    weft_task_t handle = nullptr;
    member* next = nullptr;
  };

  template <class F>
  struct member_of final : member {
    template <class G>
    member_of(group& of, G&& g) : member(of), f(std::forward<G>(g)) {}

    static void* run(void* me) noexcept {
      auto& m = *static_cast<member_of*>(me);
      const std::stop_token stop = m.in.get_stop_token();
      if (!stop.stop_requested()) m.call(stop);
      m.f.end();
      return nullptr;
    }

    void call(const std::stop_token& stop) noexcept {
      try {
        if constexpr (detail::takes_stop<F>) {
          detail::invoke(std::move(*f), stop);
        } else {
          detail::invoke(std::move(*f));
        }
      } catch (...) {
        this->in.fail(std::current_exception());
      }
    }

    detail::until_called<F> f;
  };

  struct cancels {
    group* who;
    void operator()() const noexcept { who->cancel(); }
  };
  using link = detail::stop_callback<cancels>;

  void fail(std::exception_ptr error) noexcept {
    {
      const detail::spin_lock::held inside(lock_);
      if (error_ == nullptr) error_ = std::move(error);
    }
    cancel();
  }

  // The newest first: a wait calls those that nobody has taken.
  void push(member* m, std::size_t added = 0) noexcept {
    const detail::spin_lock::held inside(lock_);
    m->next = std::exchange(newest_, m);
    members_ += added;
  }
  // ended: how many of those that were popped before.
  member* pop(std::size_t ended) noexcept {
    const detail::spin_lock::held inside(lock_);
    members_ -= ended;
    member* const m = newest_;
    if (m != nullptr) newest_ = m->next;
    return m;
  }
  // What a join of a member came to. -ENOTCONN says that Weft has stopped, and all with it.
  static bool is_over(int result) noexcept { return result == 0 || result == -ENOTCONN; }
  void join_all() {
    std::size_t ended = 0;
    while (member* const m = pop(ended)) ended = join(m);
  }
  std::size_t join(member* m) {
    const int result = weft_task_join(m->handle, nullptr);
    if (!is_over(result)) {
      push(m);
      detail::fail(result, "weft::group::wait");
    }
    return remove(m, result);
  }
  // How many have ended. Of one that a stop may have abandoned, stop callbacks may be left on a
  // stack that is gone: it stays a member.
  static std::size_t remove(member* m, int result) noexcept {
    delete m;
    return result == 0 ? 1 : 0;
  }
  bool has_members() noexcept {
    const detail::spin_lock::held inside(lock_);
    return members_ != 0;
  }
  void finish() noexcept { join_all(); }
  // Nothing runs any more.
  void end_wait() {
    std::exception_ptr error;
    {
      const detail::spin_lock::held inside(lock_);
      error = std::exchange(error_, nullptr);
    }
    if (error != nullptr) std::rethrow_exception(std::move(error));
  }

  detail::spin_lock lock_;
  std::stop_source stop_;
  member* newest_ = nullptr;  // under lock_
  std::size_t members_ = 0;   // under lock_; not seen to have ended
  std::exception_ptr error_;  // under lock_
  std::unique_ptr<link> parent_;
};

}  // namespace weft
