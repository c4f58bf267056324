// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a switch of stacks, for the two places that put them together: park and the straight
// yield. Steps and order are in switch.hpp.
#pragma once

#include "arch/context.hpp"
#include "arch/cpu.hpp"
#include "arch/fp_control.hpp"
#include "base/attributes.hpp"
#include "base/build.hpp"
#include "sched/opening.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace weft::rt {

// What must follow the task and lies in the thread.
struct thread_state {
  saved_exceptions exceptions;
  arch::fp_control fp{};

  // From the record of the thread, whose own control words are the usual ones.
  WEFT_ALWAYS_INLINE void save(exception_state& of_thread, const arch::fp_control& usual,
                               const task& me) noexcept {
    exceptions = saved_exceptions::take(of_thread);
    if (me.has(flag_save_fp)) [[unlikely]] {
      fp = arch::read_fp_control();
      arch::write_fp_control(usual);
    }
  }
  // On a thread that is no worker.
  void restore_outside(const task& me) const noexcept {
    exceptions.give(*thread_exception_state());
    if (me.has(flag_save_fp)) arch::write_fp_control(fp);
  }
  WEFT_ALWAYS_INLINE void restore(worker& w, const task& me) const noexcept {
    exceptions.give(*w.exceptions);
    if (me.has(flag_save_fp)) [[unlikely]] {
      arch::write_fp_control(fp);
      forbid_inline(w);
    }
  }
};

// The first thing on a stack after a switch: what the flow that left asked for. It either brought a
// lock to open, or has written down an action.
WEFT_ALWAYS_INLINE void arrive() noexcept {
  worker& w = *self();
  const arrival_action action = w.arrival.get();
  action(w, w.left.get(), w.arrival_argument.get());
}
WEFT_ALWAYS_INLINE void arrive(const arch::carried& with) noexcept {
  if (!opening::open_carried(with)) [[likely]]
    arrive();
}

// The same where one action is likely, which in_place does too.
template <class Action>
WEFT_ALWAYS_INLINE worker& arrive(const arch::carried& with, arrival_action likely,
                                  Action in_place) noexcept {
  worker& w = *self();
  if (opening::open_carried(with)) [[unlikely]]
    return w;
  const arrival_action action = w.arrival.get();
  if (action == likely) [[likely]] {
    in_place(w, w.left.get(), w.arrival_argument.get());
  } else {
    action(w, w.left.get(), w.arrival_argument.get());
  }
  return w;
}

WEFT_ALWAYS_INLINE void on_leaving(worker& w, arrival_action action, task* left,
                                   void* argument) noexcept {
  notes::release(&flows_left);
  w.arrival.set(action);
  w.left.set(left);
  w.arrival_argument.set(argument);
}

// TSan: a task begins on the running stack, or the loop goes on there. Of what ended tasks wrote
// further down it knows no order. A plain build has nothing to forget.
WEFT_ALWAYS_INLINE void forget_below(const stack& on) noexcept {
  if constexpr (build::tsan) {
    std::byte* sp = arch::stack_pointer();
    // An OS thread's own stack is large; what is called there gets no less than elsewhere.
    const auto most = static_cast<std::ptrdiff_t>(3 * the().stacks.options().promised_bytes);
    std::byte* low = sp - on.low < most ? on.low : sp - most;
    if (low < sp) notes::forget(low, sp);  // else the stack's bounds are unknown
  }
}

// Says on which stack the worker's code runs from now on.
WEFT_ALWAYS_INLINE void stand_on(worker& w, stack* s) noexcept {
  w.on.set(s);
  w.inline_floor.set(s->inline_floor);
}

// From one task with a stack straight to the next, no loop in between, with a lock to open or, if
// that is nothing, an action written down by on_leaving(). Gives what was brought by who came back;
// the caller arrives next. Nothing in the thread has to follow `me`, which runs on `from`.
[[nodiscard]] WEFT_ALWAYS_INLINE arch::carried switch_straight(worker& w, stack* from, task& me,
                                                               task& next,
                                                               arch::carried with) noexcept {
  stack* to = next.on.get();
  // Not beside `on`: gcc would put both together in a vector register, which costs more than two
  // stores.
  w.current.set(&next);
  next.on.set(nullptr);
  me.on.set(from);
  count_one(w.parks);
  notes::release(&me);
  stand_on(w, to);
  notes::before_switch(from->note, to->note, false);
  next.flow.run();
  const arch::carried brought =
      arch::switch_context(from->context, to->context, with.place, with.value);
  notes::after_switch(from->note);
  notes::acquire(&me);
  return brought;
}

}  // namespace weft::rt
