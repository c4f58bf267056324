// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-off: a task is the next that a chosen worker runs.
//
// It lies in an inbox of that worker's, and the bell (README.md, "Places") says so: each pick asks
// for mail anyway, so who hands nothing off pays nothing. It counts as bound to the worker until
// that takes it.
//
// Orders
//   bell_R1 -> bell_R2   ready.cpp: what was handed off before the bell was found rung is seen by
//                        who answers it
#pragma once

#include "sched/task.hpp"

namespace weft::rt {

struct worker;

// Any thread. A fresh task that is pinned to the target, or a parked one that is counted as bound
// there. Its stack may be gone when this returns.
void put_ahead(worker& target, task* t) noexcept;

// By w, which answers its bell: the task that was handed off first. Null: none.
task* take_handed(worker& w) noexcept;

// The caller goes on on that worker (t null or the caller itself), or a suspended task does. 0;
// -EBUSY: it is not suspended; -EDEADLK: it waits beneath the caller; -ERANGE: the worker is gone;
// -EPERM: outside a task, stackless, or it may not run there; -ENOMEM: no stack for others to run
// on.
[[nodiscard]] int hand_off(task* t, worker& target) noexcept;

}  // namespace weft::rt
