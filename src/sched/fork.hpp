// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forks: tasks whose descriptor stands in their joiner's frame.
//
// To the queues, thieves and loops a fork is a task like any other. What differs is its end:
// whoever runs it touches it last at join_word::finish(), and its joiner gives nothing back to a
// cache. Inlined code of programs does what fork_task and join_fork do in the plain case
// (weft/cpp/fork_abi.hpp).
#pragma once

#include "base/attributes.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

// Makes a descriptor at `place` and queues it. w null: outside. 0, -EPERM (the caller is stackless:
// it could not join), -ENOMEM.
int fork_task(worker* w, void* place, weft_fn_t fn, void* argument, void* site) noexcept;

// See weft_task_join for the errors; after one the fork is as it was.
int join_fork(worker* w, task* t, void** result, void* site) noexcept;

// After inlined code has called a fork that is not plain any more, or came back on another worker.
WEFT_COLD void end_called_fork(task* t) noexcept;

}  // namespace weft::rt
