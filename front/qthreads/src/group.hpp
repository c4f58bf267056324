// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of a loop that are waited for together.
#pragma once

#include <atomic>
#include <cstddef>

#include <weft/sync.h>

#include "spawn.hpp"
#include "waiting.hpp"

namespace weft::qt {

// Lies with who waits. Each task holds it once, and so does whoever may still fork more.
class task_group {
 public:
  task_group() noexcept { weft_latch_init(&ended_, 1); }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  // By who holds it.
  void hold() noexcept { held_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (held_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      weft_latch_count_down(&ended_, 1);  // last use of *this
  }

  // Forks f with a copy of args, which must name the group: the task drops it. False: it was not forked.
  template <class Args>
  bool fork(qthread_f f, const Args& args, std::size_t shepherd = NO_SHEPHERD) noexcept {
    fork_request what;
    what.f = f;
    what.arg = &args;
    what.copy_bytes = sizeof args;
    what.shepherd = static_cast<uint32_t>(shepherd);
    hold();
    if (fork_task(what) == QTHREAD_SUCCESS) return true;
    drop();
    return false;
  }

  // By who made it: gives up its hold and waits for all others.
  void wait() noexcept {
    drop();
    try_then_wait([&] { return weft_latch_try_wait(&ended_); },
                  [&] { return weft_latch_wait(&ended_); });
  }

 private:
  std::atomic<std::size_t> held_{1};
  weft_latch_t ended_;
};

}  // namespace weft::qt
