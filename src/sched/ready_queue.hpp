// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tasks that are ready on one worker and have run before: first in, first out.
//
// One owner pushes and pops without an atomic read-modify-write. A visitor (a worker that found
// nothing else, while the owner does not answer) takes the older half of what may leave, under the
// biased lock; sticky and pinned tasks stay. The list is intrusive, so nothing here can fail for
// want of memory.
//
// `leavable_` is how many of them may leave. The owner writes it, visitors read it as a hint.
#pragma once

#include <cstdint>

#include "arch/fiber_notes.hpp"
#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/owned.hpp"
#include "lockfree/biased_lock.hpp"
#include "mem/stack.hpp"
#include "sched/home.hpp"
#include "sched/spin.hpp"
#include "sched/task.hpp"

namespace weft::rt {

class ready_queue {
 public:
  // A chain of tasks linked by next.
  struct chain {
    task* first = nullptr;
    task* last = nullptr;
  };

  // symmetric: no process-wide barrier can be had.
  explicit ready_queue(bool symmetric) noexcept : lock_(symmetric, spin_pause) {}

  bool empty() const noexcept { return head_.get() == nullptr; }
  uint32_t leavable() const noexcept {
    return leavable_.load_relaxed();  // hint: looked at again under the lock
  }

  // Owner. Whether a ready task may resume elsewhere.
  static bool may_leave(const task& t) noexcept {
    const stack* on = t.on.get();
    return on != nullptr ? may_run_anywhere(on->home.get()) : !t.has(flag_pinned | flag_placed);
  }

  // Owner.
  void push(task* t) noexcept {
    lock_.lock();
    append(t);
    count(may_leave(*t), 1);
    lock_.unlock();
  }

  // Owner. The same where the caller has asked.
  WEFT_ALWAYS_INLINE void push(task* t, bool may_leave) noexcept {
    lock_.lock();
    append(t);
    count_by(may_leave ? 1 : 0);
    lock_.unlock();
  }

  // Owner. The oldest, or null.
  task* pop() noexcept {
    return pop_if([](const task&) { return true; });
  }

  // Owner. The oldest, if `due` says so; else null.
  template <class Due>
  task* pop_if(Due&& due) noexcept {
    lock_.lock();
    task* t = head_.get();
    if (t != nullptr && !due(*t)) t = nullptr;
    if (t != nullptr) {
      head_.set(t->next.get());
      count(may_leave(*t), -1);
    }
    lock_.unlock();
    return t;
  }

  // Owner. The oldest, if it has a stack; else null. For the usual path.
  WEFT_ALWAYS_INLINE task* pop_parked() noexcept {
    lock_.lock();
    task* t = head_.get();
    const stack* on = t != nullptr ? t->on.get() : nullptr;
    if (on == nullptr) [[unlikely]] {
      t = nullptr;
    } else {
      head_.set(t->next.get());
      count_by(may_run_anywhere(on->home.get()) ? -1 : 0);
    }
    lock_.unlock();
    return t;
  }

  // Owner. A yield in two halves, around the switch: takes the oldest task, which resumes next,
  // then appends the one that yielded. The lock stays closed in between. Null: empty, and the lock
  // is open.
  WEFT_ALWAYS_INLINE task* begin_turn(const stack& yielder) noexcept {
    if (head_.get() == nullptr) return nullptr;
    lock_.lock();
    task* t = head_.get();
    const stack* on = t != nullptr ? t->on.get() : nullptr;
    if (on == nullptr) [[unlikely]] {
      lock_.unlock();
      return nullptr;
    }
    // One goes and one comes, so the count changes only where just one of them may leave.
    const uint32_t leaves = on->home.get();
    const uint32_t comes = yielder.home.get();
    if (leaves != comes) [[unlikely]] {
      if (is_worker(comes)) {
        count(may_run_anywhere(leaves), -1);
      } else if (comes == no_worker) {
        count(!may_run_anywhere(leaves), 1);
      } else {  // it waits in sight of all its shepherd's workers
        lock_.unlock();
        return nullptr;
      }
    }
    head_.set(t->next.get());
    return t;
  }
  WEFT_ALWAYS_INLINE void end_turn(task* yielded) noexcept {
    append(yielded);
    lock_.unlock();
  }

  // Owner. Takes t out wherever it is; false: not here.
  bool remove(task* t) noexcept;

  // Owner, or a visitor that holds the lock: takes the older half of what may leave, rounded up.
  chain take_half() noexcept;
  // Owner.
  chain share_half() noexcept {
    lock_.lock();
    const chain c = take_half();
    lock_.unlock();
    return c;
  }
  // Any other worker, seldom: heavy() is the process-wide barrier. Empty: nothing, or somebody else
  // visits.
  template <class Heavy>
  chain visit(Heavy&& heavy) noexcept {
    chain c;
    if (leavable() == 0 || !lock_.try_visit(heavy)) return c;
    c = take_half();
    lock_.end_visit();
    return c;
  }

 private:
  WEFT_ALWAYS_INLINE void append(task* t) noexcept {
    t->next.set(nullptr);
    if (head_.get() == nullptr) [[likely]] {
      head_.set(t);
    } else {
      tail_.get()->next.set(t);
    }
    tail_.set(t);
  }
  WEFT_ALWAYS_INLINE void count(bool leavable, int32_t by) noexcept {
    if (leavable) count_by(by);
  }
  WEFT_ALWAYS_INLINE void count_by(int32_t by) noexcept {
    leavable_.add_own_relaxed(static_cast<uint32_t>(by));  // hint: written under lock_ alone
  }

  owned<task*> head_{nullptr};
  owned<task*> tail_{nullptr};
  biased_lock lock_;
  atomic<uint32_t> leavable_{0};
};

}  // namespace weft::rt
