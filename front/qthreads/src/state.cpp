// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtime says about itself, the caller's stack, cache lines and timers.
#include <algorithm>
#include <qthread/cacheline.h>
#include <unistd.h>

#include <weft/task.h>

#include "passed_enum.hpp"
#include "places.hpp"
#include "record.hpp"
#include "runtime.hpp"
#include "team.hpp"
#include "waiters.hpp"

namespace weft::qt {

namespace {

// What the library keeps for a task beside its stack.
constexpr std::size_t record_bytes = sizeof(record) + 64;  // the task's descriptor

std::size_t tasks_that_can_run() noexcept {
  if (!the.is_running()) return 0;
  // Those held back are counted from their fork on, but shall not run before their words are full.
  return static_cast<std::size_t>(std::max<int64_t>(0, busy.sum() - held_back()));
}

std::size_t busyness_here() noexcept {
  if (self() == nullptr) return static_cast<std::size_t>(-1);
  // Queues are not asked for their length: an even share of what can run, the caller included.
  const std::size_t sheps = std::max<std::size_t>(1, qthread_num_shepherds());
  return std::max<std::size_t>(1, (tasks_that_can_run() + sheps - 1) / sheps);
}

}  // namespace

}  // namespace weft::qt

namespace qt = weft::qt;

size_t qthread_readstate(const enum introspective_state type) {
  if (qt::number_of(type) > PARENT_TEAM) return static_cast<size_t>(QTHREAD_BADARGS);
  switch (type) {
    case STACK_SIZE:
      return qt::the.stack_bytes;
    case RUNTIME_DATA_SIZE:
      return qt::record_bytes;
    case BUSYNESS:
      return qt::busyness_here();
    case NODE_BUSYNESS:
      return qt::tasks_that_can_run();
    case ACTIVE_SHEPHERDS:
      return qthread_num_shepherds();
    case TOTAL_SHEPHERDS:
      return qt::the.is_running() ? qt::the.shepherds : 0;
    case ACTIVE_WORKERS:
      return qthread_num_workers();
    case TOTAL_WORKERS:
      return qt::the.is_running() ? qt::the.workers : 0;
    case WORKER_OCCUPATION:
      return std::min<std::size_t>(qt::tasks_that_can_run(), qthread_num_workers());
    case CURRENT_SHEPHERD:
      return qthread_shep();
    case CURRENT_WORKER:
      return qthread_worker_local(nullptr);
    case CURRENT_UNIQUE_WORKER:
      return qthread_worker(nullptr);
    case CURRENT_TEAM: {
      const unsigned team = qt_team_id();
      return team != QTHREAD_NON_TEAM_ID ? team : QTHREAD_DEFAULT_TEAM_ID;
    }
    case PARENT_TEAM:
      return qt_team_parent_id();
  }
  return static_cast<size_t>(QTHREAD_BADARGS);
}

size_t qthread_stackleft(void) {
  const qt::record* me = qt::self();
  return me != nullptr && me != &qt::main_record ? weft_task_stack_left() : 0;
}

// Qthreads names them as they lie in memory where stacks grow downwards: the top comes first.
void* qthread_tos(void) {
  void* low = nullptr;
  if (qthread_stackleft() != 0) (void)weft_task_stack_bounds(&low, nullptr);
  return low;
}

void* qthread_bos(void) {
  void* high = nullptr;
  if (qthread_stackleft() != 0) (void)weft_task_stack_bounds(nullptr, &high);
  return high;
}

int qthread_cacheline(void) {
  const long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  return bytes > 0 ? static_cast<int>(bytes) : 64;
}
