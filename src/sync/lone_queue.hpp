// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wait_queue that knows of one who waits alone what who wakes it must know: so the waker, who has
// the object's line, leaves the waiter's alone, which are those of another processor.
//
// Everything here happens under the lock of the object. Invariant
//   L1  while the queue is not empty and lone_ is somebody, that one waits there alone, and is a
//       usual flow. While it is empty lone_ may be anybody.
#pragma once

#include "sync/wait.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

class lone_queue : public wait_queue {
 public:
  void push(waiter& n) noexcept { push(n, {}); }
  // By a usual flow, which is `me`.
  void push(waiter& n, const wait::sleeper& me) noexcept {
    lone_ = empty() ? me : wait::sleeper{};  // L1
    wait_queue::push(n);
  }
  void push_first(waiter& n) noexcept = delete;

  // Who waits alone, out of the queue, and its wait is claimed. Not so: nobody, or not alone.
  [[nodiscard]] wait::sleeper take_lone() noexcept {
    if (empty() || !lone_) return {};
    forget_only();
    return lone_;
  }

 private:
  wait::sleeper lone_{};
};

}  // namespace weft::rt
