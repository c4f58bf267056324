// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The start of a task that is not plain, the end of every task, and the way of descriptors back.
#pragma once

#include "base/attributes.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace weft::rt {

// Before fn, where the task has flags: sets its residency, and whether it may call children inline.
void begin_special(worker& w, task& t) noexcept;

// After fn returned, before anybody can know: runs the destructors of slots, frees a copied
// argument, ends residency and the rest of what begin_special did.
void end_special(task& t) noexcept;

// The same where a loop called the task. Ends the process if it is the child of a fork() by this
// task.
void end_special_in_loop(task& t) noexcept;

// What follows the end of a task that somebody waits for.
void tell_waiter(worker& w, uint64_t waiter) noexcept;

// Gives the descriptor of a joined or detached task back: to the worker's cache, or from outside
// (null).
void release_task(worker* w, task* t) noexcept;

// The same of a task that nobody waited for, which used nothing as a rule.
WEFT_ALWAYS_INLINE void release_detached(worker& w, task* t) noexcept {
  if (t->extra.load_acquire() != nullptr) [[unlikely]]  // E2 <- E1
    return release_task(&w, t);
  t->fn.set(nullptr);
  t->state.reset();
  t->join.reset();
  w.tasks.put(t);
}

// After fn returned to a loop: keeps the result, lets the joiner know, or releases a detached task.
WEFT_ALWAYS_INLINE void finish(task* t, void* result) noexcept {
  if (!t->state.plain()) [[unlikely]]
    end_special_in_loop(*t);
  worker& w = *self();
  t->value.set(result);
  notes::release(t);
  notes::release(&flows_left);
  w.current.set(nullptr);
  const uint64_t waiter = t->join.finish();  // last use of *t, unless it is detached
  if (waiter == join_word::detached) return release_detached(w, t);
  if (waiter != join_word::running) tell_waiter(w, waiter);
}

// A thread outside Weft that waits for a task; lies on that thread's stack.
inline constexpr uint64_t outside_tag = 4;  // in a join word: the waiter is one of these
struct alignas(16) outside_waiter {
  atomic<uint32_t> done{0};
};

// Who waits for other things too: its function is called at the task's end, once, and may not park.
inline constexpr uint64_t listener_tag = 2;  // in a join word: the waiter is one of these
struct end_listener {
  void (*heard)(end_listener& me) noexcept;
};

}  // namespace weft::rt
