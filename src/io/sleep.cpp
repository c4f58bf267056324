// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleeping until a moment: a task parks with a timer, any other thread sleeps in the kernel.
#include "io/sleep.hpp"

#include "os/clock.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"
#include "sched/timer.hpp"
#include "sched/waiting.hpp"

namespace weft::rt {

namespace {

struct sleeper {
  timer until;
  task* who;
  int64_t deadline_ns;
};

void get_up(timer& t) noexcept {
  auto& s = *reinterpret_cast<sleeper*>(&t);
  make_ready(self(), s.who);
}

// On the next stack: the timer may fire at once, on any worker.
void lie_down(worker&, task* me, void* argument) noexcept {
  notes::acquire(me);
  auto& s = *static_cast<sleeper*>(argument);
  arm(s.until, s.deadline_ns, get_up);
}

}  // namespace

int sleep_until(int64_t deadline_ns, void* site) noexcept {
  const int64_t now = os::monotonic_ns();
  if (deadline_ns <= now) return 0;
  worker* w = self();
  task* me = current_task(w);
  if (me == nullptr) {
    const thread_waits shown("a moment in time", nullptr, site);
    os::sleep_until(deadline_ns);
    return 0;
  }
  if (me->has(flag_stackless)) return refuse_to_block("weft_task_sleep", *me);
  sleeper s{{}, me, deadline_ns};
  const task_waits shown(*w, *me, "a moment in time", nullptr, site);
  const int failed = park(*w, nullptr, lie_down, &s);
  (void)cancel(s.until);  // its action may not have returned yet
  return failed;
}

}  // namespace weft::rt
