// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleeping on a 32-bit word until another thread of this process wakes it.
//
// All waits may end without a wake (a signal, a changed word, a wake meant for an earlier user of
// the address), so the caller always looks at its word again. No call changes errno: a task that is
// woken on another thread must not find its errno spoilt by the runtime.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::rt::os {

// Sleeps if word == expected. The kernel compares and queues in one step, so a wake that follows a
// change of the word is never lost.
void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;

// The same for at most timeout_ns (relative, monotonic; below 0 counts as 0). False: timed out.
[[nodiscard]] bool futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected,
                                  std::int64_t timeout_ns) noexcept;

// The same until deadline_ns (absolute, monotonic). False: it has passed.
[[nodiscard]] bool futex_wait_until(atomic<std::uint32_t>& word, std::uint32_t expected,
                                    std::int64_t deadline_ns) noexcept;

// Wakes up to count sleepers. The memory of word may already belong to someone else by then; that
// one merely sees a wake without a reason.
void futex_wake(atomic<std::uint32_t>& word, int count) noexcept;

}  // namespace weft::rt::os
