// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cancellers whose scopes a flow is in, and its waits at all of them.
//
// A flow's scopes form a list, the innermost first; only the flow itself touches it. A task's hangs
// on its extra part and flag_cancellable says that there is one, so that the waits of all others
// pay nothing; an OS thread's hangs on a thread-local word. While the flow waits it stands at each
// canceller, as far out as the first shield, with a waiter in the scope: a flow has one wait at a
// time.
//
// Lock order: the queue of what is waited for may be closed while a canceller's is; never the
// converse.
#pragma once

#include <cstddef>

#include "sync/canceller.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

struct task;
class wait;

// Lies in the caller's memory from enter() to leave().
struct cancel_scope {
  canceller* of;        // null: a shield
  cancel_scope* outer;  // itself: not in the list
  alignas(waiter) std::byte place[sizeof(waiter)];
};

// By the flow. c: null is a shield, which cannot fail. 0 or -ENOMEM.
[[nodiscard]] int enter_scope(cancel_scope& s, canceller* c) noexcept;
// False: s is not the innermost scope of this flow.
bool leave_scope(cancel_scope& s) noexcept;

// Waits of the calling flow are not cancelled while it lives.
class cancel_shield {
 public:
  cancel_shield() noexcept { (void)enter_scope(scope_, nullptr); }
  ~cancel_shield() { (void)leave_scope(scope_); }
  cancel_shield(const cancel_shield&) = delete;
  cancel_shield& operator=(const cancel_shield&) = delete;

 private:
  cancel_scope scope_;
};

// One wait of a flow at its cancellers.
class cancel_watch {
 public:
  // flow: null is an OS thread. Does nothing yet.
  explicit cancel_watch(const task* flow) noexcept;
  cancel_watch(const cancel_watch&) = delete;
  cancel_watch& operator=(const cancel_watch&) = delete;

  // Whether anything could cancel the wait.
  bool any() const noexcept { return first_ != nullptr; }
  // Whether one is requested by now, for who waits where no canceller can wake it.
  bool is_requested() const noexcept;
  // The wait stands in several queues from now on. False: one is requested; w stands at those
  // before it.
  [[nodiscard]] bool stand(wait& w) noexcept;
  // Out of all queues; nobody will claim the wait any more. True: a canceller had claimed it.
  bool leave() noexcept;

 private:
  cancel_scope* const first_;
  cancel_scope* end_;  // where it stands no more
};

}  // namespace weft::rt
