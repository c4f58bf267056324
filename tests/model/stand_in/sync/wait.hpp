// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What models have for src/sync/wait.hpp, so that the primitives, sources and all, run as they are.
//
// A wait that nobody ends spins for ever, which the checker reports. A wait by deadline may end at
// any moment.
#pragma once

#include <cerrno>

#include "model.hpp"
#include "sched/opening.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

class wait {
 public:
  struct usual_flow {
    explicit operator bool() const noexcept { return true; }
  };
  static usual_flow usual_here() noexcept { return {}; }
  explicit wait(const usual_flow&) noexcept : sole_(true) {}
  int until_opening(const usual_flow&, const wait_reason&, const opening& lock) noexcept {
    lock.open();
    while (!is_woken()) model::pause(0);
    return 0;
  }
  using sleeper = wait*;  // known by its address: several may be woken by one
  sleeper sole_sleeper() noexcept { return sole_ ? this : nullptr; }
  static void wake_sole(sleeper w) noexcept { w->wake(); }

  wait(const char*, const void*, void*) noexcept {}
  int may_wait() const noexcept { return 0; }
  bool claim() noexcept { return claimed_.exchange_relaxed(1) == 0; }
  void wake() noexcept { woken_.store_release(1); }
  bool is_woken() const noexcept { return woken_.load_acquire() == 1; }

  wait* usual(int64_t) noexcept { return this; }
  template <class Lock>
  int until_holding(Lock& lock, int64_t deadline_ns, wait* = nullptr) noexcept {
    if constexpr (requires { lock.to_open(); }) {
      lock.to_open().open();
    } else {
      lock.unlock();
    }
    if (deadline_ns != INT64_MAX && claim()) return -ETIMEDOUT;
    while (!is_woken()) model::pause(0);
    return 0;
  }

 private:
  const bool sole_ = false;
  atomic<int> claimed_{0};
  atomic<int> woken_{0};
};

inline constexpr int64_t forever = INT64_MAX;

template <class Lock>
int wait_joined(wait_queue& q, waiter& n, Lock& lock, int64_t deadline_ns,
                wait* = nullptr) noexcept {
  const int failed = n.of->until_holding(lock, deadline_ns);
  if (failed == 0) return 0;
  lock.lock();
  if (n.queued) q.remove(n);
  lock.unlock();
  return failed;
}

template <class Lock>
int wait_in(wait_queue& q, waiter& n, Lock& lock, int64_t deadline_ns) noexcept {
  q.push(n);
  return wait_joined(q, n, lock, deadline_ns);
}

template <class Lock>
int wait_first_in(wait_queue& q, waiter& n, Lock& lock, int64_t deadline_ns) noexcept {
  q.push_first(n);
  return wait_joined(q, n, lock, deadline_ns);
}

}  // namespace weft::rt
