// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joining: a child that is unstarted at the end of the joiner's own deque is called, not switched to.
#pragma once

#include "arch/cpu.hpp"
#include "base/attributes.hpp"
#include "sched/finish.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace weft::rt {

// After an inline call, when anything was out of the ordinary: the child changed worker, has flags or an
// extra part. Brings a joiner that belongs elsewhere home before any code of the user runs.
WEFT_COLD void after_inline(task* joiner, task* child) noexcept;

// Runs the child as a call. It was taken from the deque by the caller; the joiner holds its only handle,
// so nobody else can ask whether it is done, and no atomic is needed to say so.
// noexcept: an exception that leaves a C task terminates.
WEFT_ALWAYS_INLINE void* call_inline(worker& w, task* me, task* child) noexcept {
  void* argument = child->argument();
  child->value.set(me);  // beneath
  w.current.set(child);
  exception_state& exceptions = *w.exceptions;
  const bool clean = exceptions.clean();
  saved_exceptions mine{};
  if (!clean) [[unlikely]] mine = saved_exceptions::take(exceptions);
  notes::flow_note flow;
  flow.create("weft task");
  child->flow = flow;
  flow.run();
  notes::acquire(child);
  void* result = child->fn.get()(argument);
  notes::release(child);
  worker& here = *self();
  if (&here != &w || child->flags.get() != 0 || child->extra.load_relaxed() != nullptr) // hint: E2 asks again
      [[unlikely]]
    after_inline(me, child);
  me->flow.run();
  flow.destroy();
  notes::acquire(child);
  worker& home = *self();
  home.current.set(me);
  if (!clean) [[unlikely]] mine.give(*home.exceptions);
  return result;
}

// Everything else; see weft_task_join.
WEFT_COLD int join_slow(worker* w, task* t, void** result) noexcept;

WEFT_ALWAYS_INLINE int join_task(task* t, void** result) noexcept {
  worker* w = self();
  if (w != nullptr && t != nullptr && arch::stack_pointer() >= w->inline_floor.get() &&
      t->flags.get() == 0 && w->deque.pop_if_newest(t)) [[likely]] {
    void* value = call_inline(*w, w->current.get(), t);
    if (result != nullptr) *result = value;
    t->fn.set(nullptr);
    self()->tasks.put(t);
    return 0;
  }
  return join_slow(w, t, result);
}

int try_join(task* t, void** result) noexcept;
int detach(task* t) noexcept;

}  // namespace weft::rt
