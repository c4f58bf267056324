// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OS threads of the program that are workers for a while: with what runs on them as a task, or for
// nothing else.
#pragma once

#include <cstdint>

#include "sched/worker.hpp"

namespace weft::rt {

// The calling thread, which is no worker, becomes the thread of a worker that is gone, and what
// runs on it a task that is bound there. 0, -EBUSY (that worker is not gone), -ENOMEM, -ERANGE,
// -ENOTCONN (Weft does not run).
[[nodiscard]] int begin_guest(uint32_t worker) noexcept;
// By w's thread, or under what keeps it there: whether that is so.
bool is_guest(const worker& w) noexcept;
// By that task: its thread is no worker any more, and the worker is gone. 0, -EPERM (the caller is
// no guest), -EBUSY (other tasks are bound to the worker), -ENOMEM.
[[nodiscard]] int end_guest() noexcept;

// The calling thread is the thread of a worker that is gone until that is removed again, or the
// runtime stops. 0, -EBUSY, -ENOMEM, -ERANGE, -ENOTCONN.
[[nodiscard]] int carry(uint32_t worker) noexcept;

// Whether there is a guest, who would never be told of a stop. It may change until end_running.
bool guests_are_here() noexcept;
// By who would stop, and is no guest: until there are none, or before. A task's worker runs others
// meanwhile. 0, -ENOMEM.
[[nodiscard]] int await_guests() noexcept;
// In a child of fork(): the parent's guests and carriers are not here.
void abandon_guests() noexcept;
// By who stops: until every carrier has left its worker.
void await_visitors() noexcept;

}  // namespace weft::rt
