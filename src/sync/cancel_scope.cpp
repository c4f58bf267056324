// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entering and leaving scopes of cancellers, and standing at all of them.
#include "sync/cancel_scope.hpp"

#include <cerrno>
#include <new>

#include "sched/extra.hpp"
#include "sched/self.hpp"
#include "sched/worker.hpp"
#include "sync/flow.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

namespace {

// Whether the scopes are the thread's: of one that is the program's, also while it is a worker's.
bool of_thread(const task* t) noexcept { return t == nullptr || t->has(flag_main); }

cancel_scope* innermost(const task* t) noexcept {
  if (of_thread(t)) return static_cast<cancel_scope*>(thread_scopes());
  if (!t->has(flag_cancellable)) return nullptr;
  return static_cast<cancel_scope*>(t->extra.load_relaxed()->scopes);  // own: made by this flow
}

// t has its extra part, if it needs one.
void set_innermost(task* t, cancel_scope* s) noexcept {
  if (of_thread(t)) {
    set_thread_scopes(s);
  } else {
    t->extra.load_relaxed()->scopes = s;  // own: made by this flow
  }
  if (t == nullptr) return;
  if (s == nullptr) {
    t->state.drop(flag_cancellable);
  } else if (!t->has(flag_cancellable)) {
    t->state.raise(flag_cancellable);
  }
}

waiter& waiter_in(cancel_scope& s) noexcept {
  return *std::launder(reinterpret_cast<waiter*>(s.place));
}

}  // namespace

int enter_scope(cancel_scope& s, canceller* c) noexcept {
  task* me = this_task();
  s.of = c;
  s.outer = innermost(me);
  if (c == nullptr && s.outer == nullptr) {
    s.outer = &s;  // nothing to shield from
    return 0;
  }
  if (!of_thread(me) && extra_of(*me) == nullptr) return -ENOMEM;
  set_innermost(me, &s);
  return 0;
}

bool leave_scope(cancel_scope& s) noexcept {
  task* me = this_task();
  if (s.outer == &s && s.of == nullptr) {
    s.outer = nullptr;  // left
    return true;
  }
  if (innermost(me) != &s) return false;
  set_innermost(me, s.outer);
  return true;
}

cancel_watch::cancel_watch(const task* flow) noexcept
    : first_(innermost(flow != nullptr ? flow : visited())), end_(first_) {}

bool cancel_watch::is_requested() const noexcept {
  for (const cancel_scope* s = first_; s != nullptr && s->of != nullptr; s = s->outer)
    if (s->of->is_requested()) return true;
  return false;
}

bool cancel_watch::stand(wait& w) noexcept {
  for (; end_ != nullptr && end_->of != nullptr; end_ = end_->outer)
    if (!end_->of->stand(*new (end_->place) waiter(w))) return false;
  return true;
}

bool cancel_watch::leave() noexcept {
  bool cancelled = false;
  for (cancel_scope* s = first_; s != end_; s = s->outer) {
    s->of->leave(waiter_in(*s));
    cancelled |= waiter_in(*s).chosen;
  }
  end_ = first_;
  return cancelled;
}

}  // namespace weft::rt
