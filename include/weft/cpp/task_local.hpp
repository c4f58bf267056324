// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A variable of which each task has one of its own.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/cpp/error.hpp"
#include "weft/cpp/spin.hpp"
#include "weft/task.h"

namespace weft {

// Each task's is made at its first use there and destroyed at the task's end; it does not move when
// the task goes on on another OS thread. Outside a task there is none: access throws. When the
// variable itself ends it destroys what tasks that still run have; none of them may use it any
// more, nor end meanwhile. A value's destructor must not wait, as that of a weft::task does.
template <class T>
class task_local {
 public:
  task_local()
    requires std::default_initializable<T>
      : task_local([] { return T(); }) {}
  // Values begin as what make() gives. Several tasks may call it at the same time.
  template <class F>
    requires std::is_invocable_r_v<T, const F&>
  explicit task_local(F make) : make_(std::make_unique<maker_of<F>>(std::move(make))) {
    detail::must(weft_slot_create(end_of_task, &slot_), "weft::task_local");
  }
  task_local(const task_local&) = delete;
  task_local& operator=(const task_local&) = delete;
  ~task_local() {
    weft_slot_delete(slot_);
    while (first_ != nullptr) delete std::exchange(first_, first_->next);
  }

  T& get() {
    if (void* const mine = weft_slot_get(slot_)) [[likely]]
      return static_cast<each*>(mine)->value;
    auto fresh = std::unique_ptr<each>(new each{make_->make(), *this});
    detail::must(weft_slot_set(slot_, fresh.get()), "weft::task_local::get");
    add(*fresh);
    return fresh.release()->value;
  }
  T& operator*() { return get(); }
  T* operator->() { return &get(); }

 private:
  struct each {
    T value;
    task_local& of;
    each* next = nullptr;
    each* before = nullptr;
  };

  // As a std::function, whose header takes long to compile.
  struct maker {
    virtual ~maker() = default;
    virtual T make() const = 0;
  };
  template <class F>
  struct maker_of final : maker {
    explicit maker_of(F with) : f(std::move(with)) {}
    T make() const override { return f(); }
    const F f;
  };

  static void end_of_task(void* value) {
    const std::unique_ptr<each> e(static_cast<each*>(value));
    e->of.remove(*e);
  }
  void add(each& e) noexcept {
    const detail::spin_lock::held inside(lock_);
    e.next = first_;
    if (first_ != nullptr) first_->before = &e;
    first_ = &e;
  }
  void remove(each& e) noexcept {
    const detail::spin_lock::held inside(lock_);
    (e.before != nullptr ? e.before->next : first_) = e.next;
    if (e.next != nullptr) e.next->before = e.before;
  }

  const std::unique_ptr<maker> make_;
  weft_slot_t slot_;
  detail::spin_lock lock_;
  each* first_ = nullptr;  // under lock_
};

}  // namespace weft
