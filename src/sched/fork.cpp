// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forks: tasks whose descriptor stands in their joiner's frame.
#include "sched/fork.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <weft/types.h>

#include "arch/cpu.hpp"
#include "arch/fiber_notes.hpp"
#include "sched/extra.hpp"
#include "sched/join.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/task.hpp"
#include "sched/task_state.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

namespace {

// TSan: loops look at descriptors in no order that it knows, and this one is a part of a frame.
void forget_descriptor(void* place) noexcept {
  notes::forget(place, static_cast<std::byte*>(place) + sizeof(task));
}

void release_fork(task* t) noexcept {
  if (t->extra.load_acquire() != nullptr) release_extra(*t);  // E2 <- E1
  t->fn.set(nullptr);                                         // a second join is caught
  forget_descriptor(t);
}

}  // namespace

int fork_task(worker* w, void* place, weft_fn_t fn, void* argument, void* site) noexcept {
  if (w != nullptr) {
    const task* me = w->current.get();  // null in a pick
    if (me != nullptr && me->has(flag_stackless)) return refuse_to_block("weft_fork_start", *me);
    if (!w->deque.make_room()) return -ENOMEM;
  }
  forget_descriptor(place);
  task* t = new (place) task;
  forget_descriptor(t);
  t->fn.set(fn);
  t->value.set(argument);
  t->site.set(site);
  notes::release(t);
  if (w == nullptr) {
    send_anywhere(nullptr, t, t);
    return 0;
  }
  t->set_place(w->deque.end());
  w->deque.push_into_room(t);
  // Inlined code that takes it does not ask again whether it may be called on this stack.
  if (arch::stack_pointer() < w->inline_floor.get()) w->deque.bar();
  share_with_idle(*w, 0);
  return 0;
}

int join_fork(worker* w, task* t, void** result, void* site) noexcept {
  if (current_task(w) == nullptr) return join_outside(t, result, site, release_fork);
  const int failed = await_end(w, t, result, site);
  if (failed != 0) return failed;
  release_fork(t);
  if (worker* const here = self()) here->deque.ask_less();
  return 0;
}

void end_called_fork(task* t) noexcept {
  after_inline(t);
  release_fork(t);
}

}  // namespace weft::rt
