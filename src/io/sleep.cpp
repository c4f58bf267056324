// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleeping until a moment: a wait that only its deadline ends.
#include "io/sleep.hpp"

#include <cerrno>

#include "os/clock.hpp"
#include "sched/refuse.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

int sleep_until(int64_t deadline_ns, void* site) noexcept {
  if (deadline_ns <= os::monotonic_ns()) return 0;
  const task* me = current_task(self());
  if (me != nullptr && me->has(flag_stackless)) return refuse_to_block("weft_task_sleep", *me);
  wait w("a moment in time", nullptr, site);
  w.stand_in_several();  // that is, in none
  const int failed = w.until(deadline_ns);
  return failed == -ETIMEDOUT ? 0 : failed;
}

}  // namespace weft::rt
