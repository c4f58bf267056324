// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads for calls that can only block: the task waits or goes there, and its worker runs others.
#pragma once

#include <weft/task.h>

#include "last_error.hpp"

namespace weft::qt {

inline bool in_task() noexcept { return weft_task_self() != nullptr; }

// Runs call() on one of them and returns its value, with its errno. In no task, or where no thread
// can be had, the caller runs it.
class io_call {
 public:
  virtual void run() noexcept = 0;

 protected:
  ~io_call() = default;
};
void run_in_io_pool(io_call& call) noexcept;

// By who stops Weft, once the.stops says so: until none of these calls is in progress.
void await_calls() noexcept;

// The calling task goes on on one of them, when it is free, until it comes back, and is not busy
// meanwhile. False: it stays where it is, because it cannot leave its thread or no thread can be
// had.
bool go_away() noexcept;
void come_back() noexcept;

// A child of fork() has none of the threads, and nobody who waits for them.
void begin_child_io_pool() noexcept;
// Nor does anybody accept there: see syscalls.cpp.
void begin_child_syscalls() noexcept;

template <class F>
auto offload(F&& f) noexcept {
  struct packet final : io_call {
    explicit packet(F& call) noexcept : f(call) {}
    void run() noexcept override {
      value = f();
      error = last_error();
    }
    F& f;
    decltype(f()) value{};
    int error = 0;
  } p(f);
  run_in_io_pool(p);
  set_last_error(p.error);
  return p.value;
}

}  // namespace weft::qt
