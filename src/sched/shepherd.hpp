// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shepherd: workers that are near each other, and what lies ready for them together.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "lockfree/inbox.hpp"
#include "sched/place_queue.hpp"
#include "sched/task.hpp"

namespace weft::rt {

struct shepherd {
  // Tasks that any worker may take: from threads outside, and what busy workers gave away.
  inbox<task, task_link> shared;

  // Tasks of this shepherd alone, and tasks that are more or less urgent than others.
  place_queue placed;

  // Set at start, then read only.
  alignas(line_bytes) uint32_t first = 0;  // its workers' numbers begin here
  uint32_t count = 0;
  const uint16_t* near = nullptr;  // all shepherds, this one first, the nearest next

  // Whose workers take its tasks: itself, unless all of its own are disabled. Written under a lock
  // of takers.hpp, read by anybody.
  atomic<shepherd*> heir{this};
};

}  // namespace weft::rt
