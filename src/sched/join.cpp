// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seldom ways to join: children that are not plain, that run elsewhere, joiners from outside.
//
// Orders
//   F1 -> F2   finish() publishes a result to a waiter outside
#include "sched/join.hpp"

#include <sched.h>

#include <cerrno>

#include "base/check.hpp"
#include "os/futex.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/switch.hpp"

namespace weft::rt {

namespace {

bool stands_beneath(const task* t, const task* top) noexcept {
  for (const task* at = top; at != nullptr; at = at->beneath())
    if (at == t) return true;
  return false;
}

void* reap(worker* w, task* t) noexcept {
  notes::acquire(t);
  void* value = t->value.get();
  release_task(w, t);
  return value;
}

// Runs on the next stack: from here on the child's end may make the joiner ready.
void wait_for_child(worker& w, task* joiner, void* child) noexcept {
  const bool waits = static_cast<task*>(child)->join.wait_for(reinterpret_cast<uintptr_t>(joiner));
  if (!waits) requeue(w, joiner);
}

// A thread outside: waits on a futex of its own.
void wait_outside(task* t) noexcept {
  outside_waiter here;
  if (!t->join.wait_for(reinterpret_cast<uintptr_t>(&here) | outside_tag)) return;
  while (here.done.load_acquire() == 0)  // F2 <- F1
    os::futex_wait(here.done, 0);
}

// An unstarted child with flags, or one whose joiner's stack cannot keep the promise, is at the end of
// the caller's deque: call it if its stack promise can be kept.
bool call_special(worker& w, task* me, task* child, void** result) noexcept {
  if (me == nullptr || child->on.get() != nullptr || child->has(flag_in_deque | flag_pinned) ||
      arch::stack_pointer() < w.inline_floor.get() || !w.deque.pop_if_newest(child))
    return false;
  begin_special(w, *child);
  void* value = call_inline(w, me, child);
  if (result != nullptr) *result = value;
  release_task(self(), child);
  return true;
}

}  // namespace

void after_inline(task* joiner, task* child) noexcept {
  worker* w = self();
  w->current.set(child);
  end_special(*w, *child);
  w->current.set(joiner);
  const uint32_t home = w->on.get()->home.get();
  if (home == no_worker || home == w->index) return;
  // The child took the stack away from where the joiner must be. Until a stack can be had the joiner
  // cannot go home, and its code must not run here.
  while (park(*w, nullptr, [](worker& here, task* me, void*) noexcept { requeue(here, me); },
              nullptr) != 0)
    sched_yield();
}

int join_slow(worker* w, task* t, void** result) noexcept {
  if (t == nullptr) return -EINVAL;
  WEFT_CHECK(t->fn.get() != nullptr, "weft_task_join: this task was joined or detached before");
  task* me = w != nullptr ? w->current.get() : nullptr;
  if (stands_beneath(t, me)) return -EDEADLK;
  if (!t->join.is_done()) {
    if (me == nullptr) {
      wait_outside(t);
    } else {
      if (me->has(flag_stackless)) return refuse_to_block("weft_task_join", *me);
      if (call_special(*w, me, t, result)) return 0;
      const int failed = park(*w, nullptr, wait_for_child, t);
      if (failed != 0) return failed;
      w = self();
    }
  }
  void* value = reap(w, t);
  if (result != nullptr) *result = value;
  return 0;
}

int try_join(task* t, void** result) noexcept {
  if (t == nullptr) return -EINVAL;
  WEFT_CHECK(t->fn.get() != nullptr, "weft_task_try_join: this task was joined or detached before");
  if (!t->join.is_done()) return -EBUSY;
  void* value = reap(self(), t);
  if (result != nullptr) *result = value;
  return 0;
}

int detach(task* t) noexcept {
  if (t == nullptr) return -EINVAL;
  WEFT_CHECK(t->fn.get() != nullptr, "weft_task_detach: this task was joined or detached before");
  notes::release(t);
  if (!t->join.detach()) reap(self(), t);
  return 0;
}

}  // namespace weft::rt
