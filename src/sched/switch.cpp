// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Switches stacks: park, resume, and the scheduler loop that stands at the base of every stack.
#include "sched/switch.hpp"

#include <cerrno>

#include "arch/cpu.hpp"
#include "base/check.hpp"
#include "sched/aside.hpp"
#include "sched/finish.hpp"
#include "sched/parking.hpp"
#include "sched/pick.hpp"
#include "sched/switching.hpp"

namespace weft::rt {

namespace {

void nothing(worker&, task*, void*) noexcept {}

// From a loop: its stack dies, the task goes on. In place: a call that never returns would put the
// predictions of the task's returns out of step (arch/x86_64/entry.S).
[[noreturn]] WEFT_ALWAYS_INLINE void resume(worker& w, task* t) noexcept {
  stack* from = w.on.get();
  stack* to = t->on.get();
  t->on.set(nullptr);
  on_leaving(w, recycle_stack, nullptr, from);
  w.current.set(t);
  stand_on(w, to);
  notes::before_switch(from->note, to->note, true);
  t->flow.run();
  arch::jump_context(to->context);
}

// The worker stops: back to what its OS thread stood on.
[[noreturn]] void leave_loop(worker& w) noexcept {
  stack* from = w.on.get();
  on_leaving(w, recycle_stack, nullptr, from);
  stand_on(w, &w.os_stack);
  notes::before_switch(from->note, w.os_stack.note, true);
  w.os_stack.loop_flow.run();
  arch::jump_context(w.os_stack.context);
}

// Runs a fresh task as a call, to its end.
WEFT_ALWAYS_INLINE void run_fresh(worker& w, task* t) noexcept {
  void* argument = t->argument();
  t->value.set(nullptr);  // nothing beneath
  w.current.set(t);
  w.yield_mark.set(w.deque.end());
  if (!t->state.plain()) [[unlikely]]
    begin_special(w, *t);
  const weft_fn_t fn = t->fn.get();
  stack* on = w.on.get();
  notes::flow_note flow;
  make_flow(w, on->loop_flow, flow, "weft task");
  t->flow = flow;
  flow.run();
  forget_below(*on);
  notes::acquire(t);
  void* result = fn(argument);
  finish(t, result);  // last use of *t
  on->loop_flow.run();
  flow.destroy();
  forget_below(*on);
}

// Runs a fresh task and returns, or leaves this stack for good.
WEFT_ALWAYS_INLINE void run_from_loop(worker& w, task* t) noexcept {
  if (t->on.get() != nullptr) resume(w, t);
  run_fresh(w, t);
}

// Holds nothing across an iteration: a task may have taken this stack to another worker and back.
[[noreturn]] void loop() noexcept {
  for (;;) {
    worker& w = *self();
    task* t = pick(w);
    if (t == nullptr) [[unlikely]]
      leave_loop(w);
    run_from_loop(w, t);
  }
}

void loop_entry() noexcept {
  notes::after_switch(self()->on.get()->note);
  arrive();
  if (task* first = self()->handover.get()) {
    notes::acquire(&self()->handover);
    self()->handover.set(nullptr);
    run_from_loop(*self(), first);
  }
  loop();
}

// Back to the caller, as a call returns. It goes through the queues instead where pick() would see
// to something else first, so that calls in a row starve nobody; and where it belongs elsewhere.
WEFT_ALWAYS_INLINE void return_aside(worker& w) noexcept {
  stack* from = w.on.get();
  const aside_call* c = from->aside.get();
  if (c == nullptr) [[unlikely]]
    return;  // parted
  notes::acquire(c);
  from->aside.set(nullptr);
  task* caller = c->caller;
  const uint32_t home = caller->on.get()->home.get();
  if (w.tick.get() <= 1 || !w.mail.empty() || (home != no_worker && !may_run_on(w, home)))
      [[unlikely]] {
    make_ready(&w, caller);
    return;
  }
  w.tick.set(w.tick.get() - 1);
  resume(w, caller);
}

// As come_back, on a thread that is no worker.
WEFT_ALWAYS_INLINE void come_back_outside(task& me, stack& to, const thread_state& state,
                                          const arch::carried&) noexcept {
  notes::after_switch(to.note);
  notes::acquire(&me);  // of run_outside, too
  state.restore_outside(me);
}

// park, to go on as `back` says.
template <class Back>
WEFT_ALWAYS_INLINE int park_until(Back&& back, worker& w, task* next, arrival_action action,
                                  void* argument) noexcept {
  task* me = w.current.get();
  stack* from = w.on.get();
  stack* to;
  if (is_called_aside(w)) [[unlikely]]
    part_from_callers(w);
  // First, because a fresh context may take over the control words of this moment (arch/portable).
  thread_state state;
  state.save(*w.exceptions, w.fp_default, *me);
  if (next != nullptr) {
    to = next->on.get();
    next->on.set(nullptr);
  } else {
    to = new_stack(w, me->flow, loop_entry);
    if (to == nullptr) [[unlikely]] {
      state.restore(w, *me);
      return -ENOMEM;
    }
  }
  count_one(w.parks);
  note_park(*from, arch::stack_pointer());
  me->on.set(from);
  notes::release(me);
  on_leaving(w, action, me, argument);
  w.current.set(next);
  stand_on(w, to);
  notes::before_switch(from->note, to->note, false);
  if (next != nullptr) {
    next->flow.run();
  } else {
    to->loop_flow.run();
  }
  const arch::carried brought = arch::switch_context(from->context, to->context);
  back(*me, *from, state, brought);
  return 0;
}

}  // namespace

void aside_entry() noexcept {
  worker& w = *self();
  notes::after_switch(w.on.get()->note);
  task* t = w.handover.get();
  w.handover.set(nullptr);
  run_fresh(w, t);
  return_aside(*self());
  loop();
}

void part_from_callers(worker& w) noexcept {
  // The outermost first: who is parted may be resumed at once, elsewhere, and return to its own
  // caller.
  aside_call* outermost = nullptr;
  for (stack* at = w.on.get(); aside_call* c = at->aside.get(); at = c->caller->on.get()) {
    notes::acquire(c);
    at->aside.set(nullptr);
    c->inner = outermost;
    outermost = c;
  }
  while (outermost != nullptr) {
    aside_call* inner = outermost->inner;
    outermost->part(w, *outermost);  // last use of *outermost
    outermost = inner;
  }
}

int park(worker& w, task* next, arrival_action action, void* argument) noexcept {
  return park_until(come_back, w, next, action, argument);
}

int park_to_outside(worker& w, arrival_action action, void* argument) noexcept {
  return park_until(come_back_outside, w, nullptr, action, argument);
}

void run_outside(outside_flow& here, task& t) noexcept {
  stack* to = t.on.get();
  t.on.set(nullptr);
  here.runs = &t;
  here.on = to;
  here.fp = arch::read_fp_control();
  notes::adopt_thread_stack(here.note);
  here.flow.adopt_current();
  set_thread_outside(&here);
  notes::release(&t);
  notes::before_switch(here.note, to->note, false);
  t.flow.run();
  arch::switch_context(here.context, to->context);
  notes::after_switch(here.note);
  notes::acquire(&here);
  set_thread_outside(nullptr);
}

void park_from_outside(outside_flow& here) noexcept {
  task* me = here.runs;
  stack* from = here.on;
  thread_state state;
  state.save(*thread_exception_state(), here.fp, *me);
  note_park(*from, arch::stack_pointer());
  me->on.set(from);
  notes::release(me);
  notes::release(&flows_left);
  notes::release(&here);
  notes::before_switch(from->note, here.note, false);
  here.flow.run();
  come_back(*me, *from, state, arch::switch_context(from->context, here.context));
}

int park_for_woken(worker& w, arrival_action action, void* argument) noexcept {
  task* next = nullptr;
  // As pick() would: a fair pick or mail is a matter for the loop.
  if (w.tick.get() > 1 && w.mail.empty()) {
    if (!w.woken.empty()) {
      next = w.woken.pop_if([](const task& t) { return t.on.get() != nullptr; });
    } else if (!w.offered.empty()) {
      next = w.offered.take();
    }
    if (next != nullptr) {
      w.tick.set(w.tick.get() - 1);
      w.fresh_passed.set(fresh_patience);
      share_with_idle(w, 0);
    }
  }
  return park(w, next, action, argument);
}

void arrive_by_action() noexcept {
  arrive();
  worker& here = *self();
  here.yield_mark.set(here.deque.end());
}

void open_on_arrival(worker& w, task*, void* word) noexcept {
  notes::acquire(word);
  opening{*static_cast<atomic<uint64_t>*>(word), w.opened_to.get()}.open();
}

int run_worker(worker& w) noexcept {
  stack* to = new_stack(w, w.os_stack.loop_flow, loop_entry);
  if (to == nullptr) return -ENOMEM;
  on_leaving(w, nothing, nullptr, nullptr);
  stand_on(w, to);
  notes::before_switch(w.os_stack.note, to->note, false);
  to->loop_flow.run();
  arch::switch_context(w.os_stack.context, to->context);
  notes::after_switch(w.os_stack.note);
  arrive();
  return 0;
}

}  // namespace weft::rt
