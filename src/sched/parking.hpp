// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking with a lock to open, and going straight to the next woken task: inlined where waits
// begin.
//
// What is usual is done here, as park_for_woken() and park() would do it: somebody was woken on
// this worker and has a stack, nothing else is due, and nothing that lies in the thread must follow
// the task. All else is left to them.
#pragma once

#include "base/attributes.hpp"
#include "sched/opening.hpp"
#include "sched/pick.hpp"
#include "sched/switch.hpp"
#include "sched/switching.hpp"

namespace weft::rt {

// Where a loop goes on first: the argument is the word of the lock, and w.opened_to what that
// becomes.
void open_on_arrival(worker& w, task* me, void* word) noexcept;

// What is to be done on a stack that a lock was not brought to: the action, and what is told of the
// task that goes on.
WEFT_COLD void arrive_by_action() noexcept;

// Parks the current task, me, of the calling worker, which stands on `from`; the next stack opens
// the lock. As park_for_woken(). me has no control words of its own.
[[nodiscard]] WEFT_ALWAYS_INLINE int park_to_open(worker& w, stack* from, task& me,
                                                  const opening& lock) noexcept {
  const arch::carried to_open = lock.to_carry();
  // Of what is null as a rule it is asked at once.
  const uintptr_t unusual = reinterpret_cast<uintptr_t>(w.exceptions->caught.get()) |
                            reinterpret_cast<uintptr_t>(from->aside.get()) |
                            w.exceptions->uncaught.get() |
                            reinterpret_cast<uintptr_t>(w.mail.newest_hint());
  if (unusual == 0 && w.tick.get() > 1) [[likely]] {
    if (task* next = w.woken.pop_parked()) [[likely]] {
      w.tick.set(w.tick.get() - 1);
      w.fresh_passed.set(fresh_patience);
      share_with_idle(w, 0);
      if (count_park(*from)) [[unlikely]]
        look_at_park(*from, arch::stack_pointer());
      notes::release(&flows_left);
      w.yield_mark.set(w.deque.end());  // of the next; as who comes back to it elsewhere does
      if (!opening::open_carried(switch_straight(w, from, me, *next, to_open))) [[unlikely]]
        arrive_by_action();
      return 0;
    }
  }
  w.opened_to.set(lock.value);
  return park_for_woken(w, open_on_arrival, &lock.word);
}

}  // namespace weft::rt
