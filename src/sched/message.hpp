// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages to workers: sending, and the task of a worker that runs one after the other.
#pragma once

#include <cstdint>

#include "sched/message_queue.hpp"

namespace weft::rt {

struct worker;

// m has its fn, bits, first word and words; rank: 0 or, to go before equal ones, 1. 0, -ENOMEM,
// -ERANGE: the worker is gone.
[[nodiscard]] int send_message(worker& to, message* m) noexcept;

// At the stop, when no worker runs.
void forget_messages() noexcept;
// In a process just forked.
void abandon_messages() noexcept;

}  // namespace weft::rt
