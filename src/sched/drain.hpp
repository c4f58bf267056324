// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting until nothing is runnable anywhere.
#pragma once

#include "sched/scheduler.hpp"

namespace weft::rt {

// The thread that started Weft, as worker 0 (its task parks) or as a guest (it sleeps): returns
// when no task is runnable. 0 or -ENOMEM.
[[nodiscard]] int drain() noexcept;

// By the same after that, under ending_lock: whether it is still so. A thread that is no worker may
// have made a task ready since.
[[nodiscard]] bool is_drained() noexcept;

// A worker that is about to sleep asks whether all are idle, and if so lets drain() return.
void tell_drained() noexcept;

}  // namespace weft::rt
