// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one way to wait: a flow (a task or an OS thread) parks until somebody ends its wait.
//
// Two sorts, for the price of the usual one:
//   sole     the flow waits in one queue, without a deadline. Whoever takes it out of the queue,
//            under the queue's lock, ends the wait; nobody else can. No atomic but the lock's.
//   claimed  several may end it: wakers at several queues, a timer, a canceller. The first to
//            claim() it does; the others pass on. The flow takes itself out of the other queues
//            afterwards.
//
// The steps of a waker, at one queue, under its lock:
//   1. take_first(queue): the first waiter whose wait it could claim, out of the queue;
//   2. write what is handed over into that waiter;
//   3. unlock; then wake(). The waiter's memory is valid until wake(), gone after it.
// The steps of a waiter: make a `wait` and its waiter, lock, find that it must wait,
// then wait_in(): the lock is opened on the next stack, so that nobody can end the wait before
// the registers are saved (publish after the switch).
//
// Who claims a wait, and how the flow's arrival and the wake meet, is in meeting.hpp.
#pragma once

#include <cerrno>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "sched/handover.hpp"
#include "sched/home.hpp"
#include "sched/parking.hpp"
#include "sched/ready.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"
#include "sched/task.hpp"
#include "sched/waiting.hpp"
#include "sched/worker.hpp"
#include "sync/meeting.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

inline constexpr int64_t forever = INT64_MAX;  // a deadline

class wait {
 public:
  // The running task, if it may wait, for ever, nothing else can end that, and nothing in the
  // thread must follow it: what is usual. Such a wait needs no more than this, and is told its
  // reason when it parks.
  struct usual_flow {
    worker* on;
    task* me;
    explicit operator bool() const noexcept { return me != nullptr; }
  };
  static WEFT_ALWAYS_INLINE usual_flow usual_here() noexcept {
    worker* const w = self();
    task* const me = current_task(w);
    return {w, me != nullptr && !me->has(unusual) ? me : nullptr};
  }
  explicit WEFT_ALWAYS_INLINE wait(const usual_flow& u) noexcept
      : task_(u.me), home_(u.on->on.get()->home.get()) {}

  // By the flow that waits. what, object, site: see wait_record.
  WEFT_ALWAYS_INLINE wait(const char* what, const void* object, void* site) noexcept
      : wait(current_task(self()), what, object, site) {}
  // In the name of a task that does not run.
  WEFT_ALWAYS_INLINE wait(task* t, const char* what, const void* object, void* site) noexcept
      : task_(t), home_(no_home), what_(what), object_(object), site_(site) {}
  wait(const wait&) = delete;
  wait& operator=(const wait&) = delete;

  bool of_task() const noexcept { return task_ != nullptr; }
  // Null: an OS thread.
  const task* waiting_task() const noexcept { return task_; }
  // After may_wait().
  bool is_sole() const noexcept { return sole_; }

  // Before the flow stands in a queue: whether it may park at all. 0, or -EPERM for a stackless
  // task (and says so once).
  [[nodiscard]] WEFT_ALWAYS_INLINE int may_wait() noexcept {
    return task_ != nullptr && task_->has(flag_stackless | flag_cancellable) ? may_special_wait()
                                                                             : 0;
  }

  // Waker, under the lock of the queue in which it found this wait. False: its end is settled
  // already.
  [[nodiscard]] WEFT_ALWAYS_INLINE bool claim() noexcept { return sole_ || meeting_.claim(); }
  // Who claimed it, once, with no lock held. *this may be gone afterwards.
  void wake() noexcept;

  // Who claimed a sole wait of a task, instead of wake(), to let the task go on itself.
  task& sole_task() const noexcept { return *task_; }
  // Of a usual flow: its task, and where that may resume, which stays as it is while the task is
  // parked. Who wakes it needs to ask neither the task nor its stack, whose lines are those of the
  // worker that it parked on.
  struct sleeper {
    task* me;
    uint32_t home;
    explicit operator bool() const noexcept { return me != nullptr; }
  };
  // Whose wait it is, if that is a usual flow. Who takes such a wait out of its queue has claimed
  // it.
  WEFT_ALWAYS_INLINE sleeper sole_sleeper() const noexcept {
    return {home_ != no_home ? task_ : nullptr, home_};
  }
  // wake() of such a one, in place.
  static WEFT_ALWAYS_INLINE void wake_sole(const sleeper& s) noexcept {
    make_ready_here(self(), s.me, s.home);
  }

  // The flow, before it stands in any queue: it will stand in several, or none.
  void stand_in_several() noexcept { sole_ = false; }

  // The flow, where it stands in several queues: returns when its wait has been claimed and woken.
  // 0, -ETIMEDOUT or -ECANCELED (nobody else claimed it), -ENOMEM (nothing happened: try again or
  // take it yourself).
  [[nodiscard]] int until(int64_t deadline_ns) noexcept {
    return until(deadline_ns, nothing, nullptr);
  }

  // The task, if it may wait, for ever, nothing else can end that, and nothing in the thread must
  // follow the task; else null. Asked before the wait is known to others, the answer stays in a
  // register.
  WEFT_ALWAYS_INLINE task* usual(int64_t deadline_ns) const noexcept {
    return deadline_ns == forever && task_ != nullptr && !task_->has(unusual) ? task_ : nullptr;
  }

  // The flow, which has pushed n in one queue under `lock` and still holds it. Opened in every case
  // but -ENOMEM. As above. me: what usual() said.
  template <class Lock>
  [[nodiscard]] WEFT_ALWAYS_INLINE int until_holding(Lock& lock, int64_t deadline_ns,
                                                     task* me) noexcept {
    if (me == nullptr) [[unlikely]]
      return until(deadline_ns, open<Lock>, &lock);
    worker& w = *self();
    if constexpr (requires { lock.to_open(); }) {
      return until_opening(w, *me, lock.to_open());
    } else {
      const task_waits shown(w, *me, what_, object_, site_);
      notes::release(
          &lock);  // what the lock guards is published by who opens it, on the next stack
      return park_for_woken(w, unlock_on_arrival<Lock>, &lock);
    }
  }
  template <class Lock>
  [[nodiscard]] WEFT_ALWAYS_INLINE int until_holding(Lock& lock, int64_t deadline_ns) noexcept {
    return until_holding(lock, deadline_ns, usual(deadline_ns));
  }

  // The same on w, which runs it.
  [[nodiscard]] WEFT_ALWAYS_INLINE int until_opening(worker& w, task& me,
                                                     const opening& lock) noexcept {
    return until_opening({&w, &me}, {what_, object_, site_}, lock);
  }

  // The same of a usual one.
  static WEFT_ALWAYS_INLINE int until_opening(const usual_flow& u, const wait_reason& why,
                                              const opening& lock) noexcept {
    stack* const on = u.on->on.get();
    const task_waits shown(*u.on, *on, *u.me, why.what, why.object, why.site);
    return park_to_open(*u.on, on, *u.me, lock);
  }

  // The same without a deadline, for a flow whose wait a fresh task may end: that one runs at once,
  // on a stack of its own. It was taken from its queue by the caller; after -ENOMEM it is queued
  // again. Not for a flow that can be cancelled.
  template <class Lock>
  [[nodiscard]] int until_running(task& fresh, Lock& lock) noexcept {
    const task_waits shown(*self(), *task_, what_, object_, site_);
    notes::release(&lock);
    return park_for_fresh(*self(), fresh, unlock_on_arrival<Lock>, &lock);
  }

 private:
  static constexpr uint32_t unusual = flag_stackless | flag_cancellable | flag_save_fp;

  using open_fn = void (*)(void* lock) noexcept;
  struct arrival;
  struct timeout;

  static void nothing(void*) noexcept {}
  template <class Lock>
  static void open(void* lock) noexcept {
    static_cast<Lock*>(lock)->unlock();
  }
  template <class Lock>
  static void unlock_on_arrival(worker&, task*, void* lock) noexcept {
    notes::acquire(lock);
    static_cast<Lock*>(lock)->unlock();
  }

  WEFT_COLD int may_special_wait() noexcept;
  int until(int64_t deadline_ns, open_fn unlock, void* lock) noexcept;
  int until_outside(int64_t deadline_ns, open_fn unlock, void* lock) noexcept;

  task* const task_;     // null: an OS thread
  const uint32_t home_;  // of a usual_flow's stack; else no_home
  const char* what_;     // these three not of a usual_flow
  const void* object_;
  void* site_;
  bool sole_ = true;
  meeting meeting_;
};

// Waits in q, which n has just joined; the rest as wait_in. me: as of usual().
template <class Lock>
[[nodiscard]] WEFT_ALWAYS_INLINE int wait_joined(wait_queue& q, waiter& n, Lock& lock,
                                                 int64_t deadline_ns, task* me) noexcept {
  const int failed = n.of->until_holding(lock, deadline_ns, me);
  if (failed == 0) [[likely]]
    return 0;
  if (failed != -ENOMEM) lock.lock();
  if (n.queued) q.remove(n);
  lock.unlock();
  return failed;
}

// Waits in q, whose lock the caller holds; n is in no queue. The lock is open afterwards and n is
// in no queue. 0: somebody took n out and woke it; -ETIMEDOUT; -ECANCELED; -ENOMEM; -EPERM: a
// stackless task.
template <class Lock>
[[nodiscard]] WEFT_ALWAYS_INLINE int wait_in(wait_queue& q, waiter& n, Lock& lock,
                                             int64_t deadline_ns) noexcept {
  task* const me = n.of->usual(deadline_ns);
  if (me == nullptr) [[unlikely]] {
    if (const int refused = n.of->may_wait(); refused != 0) {
      lock.unlock();
      return refused;
    }
  }
  q.push(n);
  return wait_joined(q, n, lock, deadline_ns, me);
}

// The same before all others, by a flow that may wait and has waited here already.
template <class Lock>
[[nodiscard]] WEFT_ALWAYS_INLINE int wait_first_in(wait_queue& q, waiter& n, Lock& lock,
                                                   int64_t deadline_ns) noexcept {
  q.push_first(n);
  return wait_joined(q, n, lock, deadline_ns, n.of->usual(deadline_ns));
}

}  // namespace weft::rt
