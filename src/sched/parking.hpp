// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking with a lock to open, and going straight to the next woken task: inlined where waits begin.
//
// What is usual is done here, as park_for_woken() and park() would do it: somebody was woken on this worker and has a
// stack, nothing else is due, and nothing that lies in the thread must follow the task. All else is left to them.
#pragma once

#include "base/attributes.hpp"
#include "sched/opening.hpp"
#include "sched/pick.hpp"
#include "sched/switch.hpp"
#include "sched/switching.hpp"

namespace weft::rt {

// What opens the lock: the argument is its word, and w.opened_to what that becomes.
WEFT_ALWAYS_INLINE void open_word(worker& w, task*, void* word) noexcept {
  notes::acquire(word);
  opening{*static_cast<atomic<uint64_t>*>(word), w.opened_to.get()}.open();
}
void open_on_arrival(worker& w, task* me, void* word) noexcept;

// Parks the current task, me, of the calling worker; the next stack opens the lock. As park_for_woken(). me has no
// control words of its own.
[[nodiscard]] WEFT_ALWAYS_INLINE int park_to_open(worker& w, task& me,
                                                  const opening& lock) noexcept {
  notes::release(&lock.word);  // what the lock guards is published by who opens it
  w.opened_to.set(lock.value);
  const stack& from = *w.on.get();
  // Of what is null as a rule it is asked at once.
  const uintptr_t unusual = reinterpret_cast<uintptr_t>(w.exceptions->caught.get()) |
                            reinterpret_cast<uintptr_t>(from.aside.get()) |
                            w.exceptions->uncaught.get() | uintptr_t{!w.mail.empty()};
  if (unusual == 0 && w.tick.get() > 1) [[likely]] {
    if (task* next = w.woken.pop_parked()) [[likely]] {
      w.tick.set(w.tick.get() - 1);
      w.fresh_passed.set(fresh_patience);
      share_with_idle(w, 0);
      note_park(*w.on.get(), arch::stack_pointer());
      switch_straight(w, me, *next, open_on_arrival, &lock.word);
      worker& here = arrive(open_on_arrival, open_word);
      here.yield_mark.set(here.deque.end());
      return 0;
    }
  }
  return park_for_woken(w, open_on_arrival, &lock.word);
}

}  // namespace weft::rt
