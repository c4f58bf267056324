// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiters whose waits were claimed with a queue closed, to be woken once it is open, in their
// order.
#pragma once

#include <cstdint>

#include "sync/wait_queue.hpp"

namespace weft::rt {

class wake_chain {
 public:
  // n has left its queue, and its wait is the caller's.
  void add(waiter& n) noexcept {
    n.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &n;
    last_ = &n;
    ++count_;
  }
  // All of the queue, or `most`.
  template <class Wait = wait>
  void add_from(wait_queue& q, uint64_t most = UINT64_MAX) noexcept {
    for (; most != 0; --most) {
      waiter* n = take_first<Wait>(q);
      if (n == nullptr) return;
      add(*n);
    }
  }
  uint64_t count() const noexcept { return count_; }

  // f(waiter) may end the waiter's life, or let it stand in another queue.
  template <class F>
  void for_each(F&& f) const noexcept {
    for (waiter* n = first_; n != nullptr;) {
      waiter* next = n->next;
      f(*n);
      n = next;
    }
  }

  // With no queue closed. Each waiter may be gone as soon as it is woken.
  template <class Wait = wait>
  void wake() const noexcept {
    for_each([](waiter& n) noexcept { static_cast<Wait*>(n.of)->wake(); });
  }

 private:
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
  uint64_t count_ = 0;
};

}  // namespace weft::rt
