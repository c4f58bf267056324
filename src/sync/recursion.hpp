// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes that their owner may lock again, and what a condition needs of either sort.
#pragma once

#include <cerrno>
#include <cstdint>

#include "sync/mutex.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

// Of a recursive mutex. As for a plain one, and -EAGAIN: locked too often.
int lock_recursive(mutex& m, int64_t deadline_ns, void* site) noexcept;
// 0, -EBUSY, -EAGAIN.
int try_lock_recursive(mutex& m) noexcept;
// 0, or -EPERM: the caller does not hold it.
int unlock_recursive(mutex& m) noexcept;

// Any mutex. Whether the caller may give it up: a plain one does not know its owner, so there it is
// enough that somebody has it.
bool may_release(const mutex& m) noexcept;
// Forgets the owner; the word stays held. How often it was locked.
uint32_t disown(mutex& m) noexcept;
// The caller holds the word; what disown() told is true again.
void own_again(mutex& m, uint32_t depth) noexcept;

}  // namespace weft::rt
