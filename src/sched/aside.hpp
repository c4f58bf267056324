// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task runs a fresh one on another stack: in place, so that the registers that nobody keeps are
// saved once, by who asks for it. See aside_call in switch.hpp.
#pragma once

#include <cerrno>

#include "base/attributes.hpp"
#include "sched/parking.hpp"
#include "sched/switch.hpp"
#include "sched/switching.hpp"

namespace weft::rt {

// The stack that the leaving loop stood on goes back to the cache.
inline void recycle_stack(worker& w, task*, void* dead) noexcept {
  auto* s = static_cast<stack*>(dead);
  s->loop_flow.destroy();
  w.stacks.put(s);
}

// A fresh stack, ready to run an entry of the scheduler's; null: no memory.
WEFT_ALWAYS_INLINE stack* new_stack(worker& w, notes::flow_note& running,
                                    void (*entry)() noexcept) noexcept {
  stack* s = w.stacks.get();
  if (s == nullptr) [[unlikely]]
    return nullptr;
  make_flow(w, running, s->loop_flow, "weft scheduler loop");
  notes::forget(&s->context, &s->context + 1);  // another flow wrote it last
  arch::make_context(s->context, s->high, entry);
  return s;
}

// The first thing on a stack that was left: its task goes on, perhaps on another worker.
WEFT_ALWAYS_INLINE void come_back(task& me, stack& to, const thread_state& state,
                                  const arch::carried& brought) noexcept {
  notes::after_switch(to.note);
  notes::acquire(&me);
  worker& here = arrive(brought, recycle_stack, recycle_stack);
  state.restore(here, me);
  here.yield_mark.set(here.deque.end());
}

// Where a stack begins on which a task is called aside.
void aside_entry() noexcept;

// The current task of the calling worker runs a fresh one, which is in no queue. Returns when that
// has ended; or, if it was parted before, when somebody has made the caller ready. 0, or -ENOMEM:
// no stack; nothing happened.
[[nodiscard]] WEFT_ALWAYS_INLINE int call_aside(worker& w, task& fresh, aside_call& c) noexcept {
  task* me = w.current.get();
  stack* from = w.on.get();
  thread_state state;
  state.save(*w.exceptions, w.fp_default, *me);
  stack* to = new_stack(w, me->flow, aside_entry);
  if (to == nullptr) [[unlikely]] {
    state.restore(w, *me);
    return -ENOMEM;
  }
  c.caller = me;
  to->aside.set(&c);
  count_one(w.parks);
  note_park(*from, arch::stack_pointer());
  me->on.set(from);
  notes::release(me);
  notes::release(&c);
  w.handover.set(&fresh);
  stand_on(w, to);
  notes::before_switch(from->note, to->note, false);
  to->loop_flow.run();
  come_back(*me, *from, state, arch::switch_context(from->context, to->context));
  return 0;
}

}  // namespace weft::rt
