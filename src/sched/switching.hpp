// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a switch of stacks, for the two places that put them together: park and the straight
// yield. Steps and order are in switch.hpp.
#pragma once

#include "arch/context.hpp"
#include "arch/cpu.hpp"
#include "arch/fp_control.hpp"
#include "base/attributes.hpp"
#include "base/build.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace weft::rt {

// What must follow the task and lies in the thread.
struct thread_state {
  bool any_exception;
  saved_exceptions exceptions;
  arch::fp_control fp{};

  WEFT_ALWAYS_INLINE void save(worker& w, const task& me) noexcept {
    any_exception = !w.exceptions->clean();
    if (any_exception) [[unlikely]]
      exceptions = saved_exceptions::take(*w.exceptions);
    if (me.has(flag_save_fp)) [[unlikely]] {
      fp = arch::read_fp_control();
      arch::write_fp_control(w.fp_default);
    }
  }
  WEFT_ALWAYS_INLINE void restore(worker& w, const task& me) const noexcept {
    if (any_exception) [[unlikely]]
      exceptions.give(*w.exceptions);
    if (me.has(flag_save_fp)) [[unlikely]] {
      arch::write_fp_control(fp);
      forbid_inline(w);
    }
  }
};

// The first thing on a stack after a switch: what the flow that left asked for.
WEFT_ALWAYS_INLINE void arrive() noexcept {
  worker& w = *self();
  const arrival_action action = w.arrival.get();
  action(w, w.left.get(), w.arrival_argument.get());
}

// The same where one action is likely, so that the compiler can put it in place.
template <class Action>
WEFT_ALWAYS_INLINE void arrive(Action likely) noexcept {
  worker& w = *self();
  if (w.arrival.get() == likely) [[likely]] {
    likely(w, w.left.get(), nullptr);
  } else {
    arrive();
  }
}

WEFT_ALWAYS_INLINE void on_leaving(worker& w, arrival_action action, task* left,
                                   void* argument) noexcept {
  notes::release(&flows_left);
  w.arrival.set(action);
  w.left.set(left);
  w.arrival_argument.set(argument);
}

// TSan: a task begins on the running stack, or the loop goes on there. Of what ended tasks wrote further
// down it knows no order. A plain build has nothing to forget.
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

}  // namespace weft::rt
