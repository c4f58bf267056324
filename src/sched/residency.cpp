// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a task may resume: here, anywhere, or on a worker it goes to.
#include "sched/residency.hpp"

#include <cerrno>

#include "sched/home.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"

namespace weft::rt {

namespace {

// A stack's home follows from the tasks on it, of which `me` is the innermost.
// bound: flag_sticky, flag_placed, or 0 with no home.
void settle(worker& w, task& me, uint32_t bound, uint32_t home) noexcept {
  me.state.drop(flag_sticky | flag_placed);
  if (home != no_worker) {
    me.state.set_home(home);
    me.state.raise(bound);
  }
  w.on.get()->home.set(residency(&me));
}

}  // namespace

bool exists(place where) noexcept {
  return (where.worker == no_worker || where.worker < the().count) &&
         (where.shepherd == no_worker || where.shepherd < the().shepherd_count);
}

uint32_t residency(const task* top) noexcept {
  const level urgency = top != nullptr ? level_of(top->state) : level::normal;
  for (const task* t = top; t != nullptr; t = t->beneath()) {
    if (t->has(flag_placed)) return make_home(t->state.home(), urgency);
    if (t->has(flag_sticky) && t->state.home() != no_worker) return t->state.home();
  }
  return urgency == level::normal ? no_worker : make_home(open_to_all, urgency);
}

int set_sticky(bool sticky) noexcept {
  worker* w = self();
  task* me = current_task(w);
  if (me == nullptr || me->has(flag_main)) return -EPERM;
  settle(*w, *me, sticky ? flag_sticky : 0u, sticky ? w->index : no_worker);
  return 0;
}

int migrate(place to) noexcept {
  worker* w = self();
  task* me = current_task(w);
  if (me == nullptr || me->has(flag_main)) return -EPERM;
  if (me->has(flag_stackless)) return refuse_to_block("weft_task_migrate", *me);
  if (to.worker == no_worker && to.shepherd == no_worker) return set_sticky(false);
  if (!exists(to)) return -ERANGE;
  if (w->on.get() == &w->os_stack) return -EDEADLK;  // main's frames cannot leave their thread
  const uint32_t was_bound =
      (me->has(flag_sticky) ? flag_sticky : 0u) | (me->has(flag_placed) ? flag_placed : 0u);
  const uint32_t was_home = was_bound != 0 ? me->state.home() : no_worker;
  if (to.worker != no_worker) {
    settle(*w, *me, flag_sticky, to.worker);
  } else {
    settle(*w, *me, flag_placed, to.shepherd);
  }
  if (may_run_on(*w, w->on.get()->home.get())) return 0;
  const int failed =
      park(*w, nullptr, [](worker& here, task* t, void*) noexcept { requeue(here, t); }, nullptr);
  if (failed != 0) settle(*w, *me, was_bound, was_home);  // no stack: it never left
  return failed;
}

}  // namespace weft::rt
