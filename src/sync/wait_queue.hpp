// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flows that wait at one object: first in, first out, one pointer while empty.
//
// Everything here happens under the lock of the object. Invariants
//   I1  a waiter is in its queue exactly while `queued`.
//   I2  first_->prev is the last waiter; the last one's next is null.
#pragma once

namespace weft::rt {

class wait;

// What is waited for, for reports: a string that lives as long as the library, the object, and the
// caller of the API function.
struct wait_reason {
  const char* what;
  const void* object;
  void* site;
};

// One place in one queue; lies on the waiting flow's stack. Primitives derive from it to add what
// is handed over, written by whoever claims the wait, before the wake.
struct waiter {
  explicit waiter(wait& w) noexcept : of(&w) {}
  explicit waiter(wait* w) noexcept : of(w) {}  // which is made next
  waiter() noexcept : of(nullptr) {}            // stands for no flow: see word.hpp
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  wait* const of;
  waiter* next = nullptr;
  waiter* prev = nullptr;
  bool queued = false;
  bool chosen = false;  // its wait was claimed through it, for a flow that stands in several queues
};

class wait_queue {
 public:
  constexpr wait_queue() noexcept = default;

  bool empty() const noexcept { return first_ == nullptr; }
  waiter* first() const noexcept { return first_; }

  void push(waiter& n) noexcept {
    n.next = nullptr;
    n.queued = true;
    if (first_ == nullptr) [[likely]] {
      n.prev = &n;
      first_ = &n;
      return;
    }
    n.prev = first_->prev;
    first_->prev->next = &n;
    first_->prev = &n;
  }

  // Before all others.
  void push_first(waiter& n) noexcept {
    n.queued = true;
    n.next = first_;
    n.prev = &n;
    if (first_ != nullptr) {
      n.prev = first_->prev;
      first_->prev = &n;
    }
    first_ = &n;
  }

  // Takes out the only one without a look at it: it stays `queued`, which its flow does not ask.
  void forget_only() noexcept { first_ = nullptr; }

  // n is queued here.
  void remove(waiter& n) noexcept {
    if (&n == first_) {
      first_ = n.next;
    } else {
      n.prev->next = n.next;
    }
    if (n.next != nullptr) [[unlikely]] {
      n.next->prev = n.prev;
    } else if (first_ != nullptr) {
      first_->prev = n.prev;
    }
    n.queued = false;
  }

 private:
  waiter* first_ = nullptr;
};

// The first waiter whose wait the caller has claimed, out of the queue; null: nobody waits. (A
// template because models have a `wait` of their own.)
template <class Wait = wait>
waiter* take_first(wait_queue& q) noexcept {
  while (waiter* n = q.first()) {
    q.remove(*n);
    if (static_cast<Wait*>(n->of)->claim()) {
      n->chosen = true;
      return n;
    }
  }
  return nullptr;
}

}  // namespace weft::rt
