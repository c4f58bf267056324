// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The child of a fork(): what becomes of the parent's runtime there.
#include "sched/child.hpp"

#include <cstdlib>

#include "sched/ending.hpp"
#include "sched/extra.hpp"
#include "sched/guest.hpp"
#include "sched/message.hpp"
#include "sched/outside.hpp"
#include "sched/pool.hpp"
#include "sched/self.hpp"
#include "sched/serving.hpp"
#include "sched/switch.hpp"
#include "sched/takers.hpp"
#include "sched/worker_thread.hpp"

namespace weft::rt {

namespace {

// What the task goes on as is a thread, which leaves the scopes of cancellers that it entered. What
// the thread has itself are those of its own flow, which another task of the parent may have left
// parked in them.
void keep_scopes(const task* t) noexcept {
  if (t != nullptr && t->has(flag_main)) return;
  const bool entered = t != nullptr && t->has(flag_cancellable);
  set_thread_scopes(entered ? t->extra.load_relaxed()->scopes : nullptr);  // own: one thread
}

}  // namespace

void abandon_runtime() noexcept {
  forget_presence_lock();
  if (worker* w = self()) {
    give_back_processors_in_child(*w);
    keep_scopes(w->current.get());
    // Whoever returns on this stack first must not find a loop or a joiner beneath it.
    for (task* t = w->current.get(); t != nullptr; t = t->beneath()) t->state.raise(flag_forked);
    set_self(nullptr);
  }
  if (const outside_flow* flow = thread_outside()) {
    keep_scopes(flow->runs);
    for (task* t = flow->runs; t != nullptr; t = t->beneath()) t->state.raise(flag_forked);
    set_thread_outside(nullptr);
  }
  set_running(false);
  forget_extras();
  forget_stays();
  abandon_schedulers();
  abandon_pools();
  abandon_guests();
  abandon_visits();
  abandon_messages();
}

void end_child_process() noexcept { std::exit(EXIT_SUCCESS); }

}  // namespace weft::rt
