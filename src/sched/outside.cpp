// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks on threads that are no workers: who counts them, and the two ways across.
//
// Orders
//   visit_V1 -> visit_V2   what a thread did for its task is seen by who stops
#include "sched/outside.hpp"

#include <cerrno>

#include "mem/overflow.hpp"
#include "os/futex.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"
#include "sched/waiting.hpp"

namespace weft::rt {

namespace {

// Tasks that left, whose thread is not done with them. Not of the scheduler: its last reader may
// come late.
constinit atomic<uint32_t> visits{0};

void end_visit() noexcept {
  (void)visits.add_release(UINT32_MAX);  // visit_V1 -> visit_V2
  os::futex_wake(visits, 1);
}

struct gift {
  void (*give)(task* t, void* argument) noexcept;
  void* argument;
};

void give_away(worker&, task* t, void* argument) noexcept {
  notes::acquire(t);
  const gift g = *static_cast<gift*>(argument);  // in the frame of t, which goes on at once
  g.give(t, g.argument);
}

}  // namespace

int leave_workers(void (*give)(task* t, void* argument) noexcept, void* argument,
                  void* site) noexcept {
  worker* w = self();
  task* me = current_task(w);
  if (me == nullptr || me->has(flag_main)) return -EPERM;
  if (me->has(flag_stackless)) return refuse_to_block("weft_task_leave", *me);
  if (w->on.get() == &w->os_stack) return -EDEADLK;
  (void)visits.add_relaxed(1);         // count: a stop waits for this worker first
  (void)the().outside.add_relaxed(1);  // count: before the worker can be idle
  gift g{give, argument};
  const task_waits shown(*w, *me, "a thread outside", me, site);
  const int failed = park_to_outside(*w, give_away, &g);
  if (failed == 0) return 0;
  (void)the().outside.add_relaxed(UINT32_MAX);  // count: as above
  end_visit();
  return failed;
}

void visit(task& t) noexcept {
  report_stack overflow_stack;
  (void)overflow_stack.attach();  // without one an overflow dies without its report
  outside_flow here;
  run_outside(here, t);
  make_ready(nullptr, &t);
  end_visit();
  overflow_stack.detach();  // knows nothing of the runtime, which may be gone
}

int return_to_workers() noexcept {
  outside_flow* here = thread_outside();
  if (here == nullptr) return -EPERM;
  park_from_outside(*here);
  (void)the().outside.add_relaxed(UINT32_MAX);  // count: this worker is not idle
  return 0;
}

task* visited() noexcept {
  const outside_flow* here = thread_outside();
  return here != nullptr ? here->runs : nullptr;
}

const stack* stack_of_this_thread() noexcept {
  if (const worker* w = self(); w != nullptr) return w->on.get();
  const outside_flow* here = thread_outside();
  return here != nullptr ? here->on : nullptr;
}

void await_visits() noexcept {
  uint32_t left = visits.load_acquire();           // visit_V2 <- visit_V1
  for (; left != 0; left = visits.load_acquire())  // visit_V2 <- visit_V1
    os::futex_wait(visits, left);
}

void abandon_visits() noexcept {
  visits.store_relaxed(0);  // own: one thread
}

}  // namespace weft::rt
