// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a task may resume: here, anywhere, or on a worker it goes to.
#include "sched/residency.hpp"

#include <cerrno>

#include "sched/extra.hpp"
#include "sched/home.hpp"
#include "sched/pool.hpp"
#include "sched/presence.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"

namespace weft::rt {

namespace {

constexpr uint32_t binding_flags = flag_sticky | flag_placed | flag_pool;

// A stack's home follows from the tasks on it, of which `me` is the innermost.
// bound: flag_sticky, flag_placed, the same with flag_pool, or 0 with no home.
void settle(worker& w, task& me, uint32_t bound, uint32_t home) noexcept {
  const uint32_t was_bound_to = me.has(flag_sticky) ? me.state.home() : no_worker;
  if (bound == flag_sticky) bind_to(the().workers[home], &w);
  if (was_bound_to != no_worker) unbind_from(the().workers[was_bound_to]);
  me.state.drop(binding_flags);
  if (home != no_worker) {
    me.state.set_home(home);
    me.state.raise(bound);
  }
  w.on.get()->home.set(residency(&me));
}

}  // namespace

int look_up_lists(const worker* w, place& where) noexcept {
  if (where.shepherd != no_worker && where.shepherd >= the().shepherd_count) return -ERANGE;
  if (where.pool_handle == 0) return 0;
  where.pool = find_pool(where.pool_handle);
  if (where.pool == nullptr) return -ERANGE;
  return where.pool->admits(w) ? 0 : -EPERM;
}

bool stays_with(uint32_t shepherd) noexcept {
  const uint32_t home = self()->on.get()->home.get();
  if (is_pool(home)) return false;
  if (is_placed(home)) return shepherd_in(home) == shepherd;
  return is_worker(home) && number_of(the().workers[home].herd) == shepherd;
}

uint32_t residency(const task* top) noexcept {
  const level urgency = top != nullptr ? level_of(top->state) : level::normal;
  for (const task* t = top; t != nullptr; t = t->beneath()) {
    if (t->has(flag_pool)) return pool_home(t->state.home());
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
  if (to.worker == no_worker && to.shepherd == no_worker && to.pool_handle == 0)
    return set_sticky(false);
  const int wrong = look_up(w, to);
  if (wrong != 0) return wrong;
  if (w->on.get() == &w->os_stack) return -EDEADLK;  // main's frames cannot leave their thread
  const pool* const into = to.pool;
  if (into != nullptr && into->by_key() && extra_of(*me) == nullptr) return -ENOMEM;
  const uint32_t was_bound = me->state.flags() & binding_flags;
  const uint32_t was_home = was_bound != 0 ? me->state.home() : no_worker;
  if (to.worker != no_worker) {
    worker& target = the().workers[to.worker];
    if (!try_bind_to(target, w)) return -ERANGE;
    settle(*w, *me, flag_sticky, to.worker);
    unbind_from(target);  // settle has counted it, too
  } else if (into != nullptr) {
    settle(*w, *me, flag_placed | flag_pool, into->number());
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
