// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lock between a stop and those who are no workers, and the list of those who stay.
#include "sched/ending.hpp"

#include <memory>

#include "sched/scheduler.hpp"
#include "sched/spin.hpp"

namespace weft::rt {

namespace {

constinit stay* first = nullptr;  // under the lock

}  // namespace

constinit std::mutex ending_lock;

bool stay::enter() noexcept {
  if (!running()) return false;  // in a child of fork() the lock is made anew at a start
  const std::lock_guard held(ending_lock);
  if (!running()) return false;
  enter_holding();
  return true;
}

void stay::enter_holding() noexcept {
  is_in_ = true;
  prev_ = nullptr;
  next_ = first;
  if (first != nullptr) first->prev_ = this;
  first = this;
}

void stay::leave() noexcept {
  if (!is_in_) return;
  const std::lock_guard held(ending_lock);
  leave_holding();
}

void stay::leave_holding() noexcept {
  is_in_ = false;
  (prev_ != nullptr ? prev_->next_ : first) = next_;
  if (next_ != nullptr) next_->prev_ = prev_;
}

void await_stays() noexcept {
  for (unsigned spun = 0;; ++spun) {
    {
      const std::lock_guard held(ending_lock);
      if (first == nullptr) return;
      for (stay* s = first; s != nullptr; s = s->next_)
        if (s->tell_ != nullptr) s->tell_(*s);  // it leaves under the lock
    }
    spin_pause(spun);
  }
}

void forget_stays() noexcept {
  std::construct_at(&ending_lock);
  first = nullptr;
}

}  // namespace weft::rt
