// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The child of a fork(): what becomes of the parent's runtime there.
//
// Only the thread that forked exists in the child. If it was a worker, it goes on as a thread
// outside Weft, on the stack of the task that it ran; frames there may point anywhere into the
// parent's memory, so all of it stays as it is. A new start makes everything anew in the same
// places.
#pragma once

#include "base/attributes.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

// In the child, by its one thread: the parent's runtime is no more.
WEFT_COLD void abandon_runtime() noexcept;

// The task that forked has returned in the child. There is no loop to return to, and its joiner is
// in the parent. As when the last thread of a process returns: exit(0).
[[noreturn]] WEFT_COLD void end_child_process() noexcept;

}  // namespace weft::rt
