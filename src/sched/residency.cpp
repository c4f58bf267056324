// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a task may resume: here, anywhere, or on a worker it goes to.
#include "sched/residency.hpp"

#include <cerrno>

#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"

namespace weft::rt {

namespace {

// A stack's home follows from the tasks on it, of which `me` is the innermost.
void settle(worker& w, task& me, bool sticky, uint32_t home) noexcept {
  if (sticky) {
    me.state.raise(flag_sticky);
    me.state.set_home(home);
  } else {
    me.state.drop(flag_sticky);
  }
  w.on.get()->home.set(residency(&me));
}

}  // namespace

uint32_t residency(const task* top) noexcept {
  for (const task* t = top; t != nullptr; t = t->beneath())
    if (t->has(flag_sticky) && t->state.home() != no_worker) return t->state.home();
  return no_worker;
}

int set_sticky(bool sticky) noexcept {
  worker* w = self();
  task* me = current_task(w);
  if (me == nullptr || me->has(flag_main)) return -EPERM;
  settle(*w, *me, sticky, w->index);
  return 0;
}

int migrate(uint32_t target) noexcept {
  worker* w = self();
  task* me = current_task(w);
  if (me == nullptr || me->has(flag_main)) return -EPERM;
  if (me->has(flag_stackless)) return refuse_to_block("weft_task_migrate", *me);
  if (target == no_worker) return set_sticky(false);
  if (target >= the().count) return -ERANGE;
  if (w->on.get() == &w->os_stack) return -EDEADLK;  // main's frames cannot leave their thread
  const bool was_sticky = me->has(flag_sticky);
  settle(*w, *me, true, target);
  if (target == w->index) return 0;
  const int failed =
      park(*w, nullptr, [](worker& here, task* t, void*) noexcept { requeue(here, t); }, nullptr);
  if (failed != 0) settle(*w, *me, was_sticky, w->index);  // no stack: it never left
  return failed;
}

}  // namespace weft::rt
