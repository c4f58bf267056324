// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A full memory barrier on every running thread of this process, paid for by the caller alone.
//
// The dear side of an asymmetric Dekker pair; the cheap side is fence_light() in base/atomic.hpp.
// And the one that ends restartable stores: see arch/restartable.hpp.
#pragma once

namespace weft::rt::os {

// Announces to the kernel that this process will call membarrier(). False: the kernel does not
// offer it, or a sandbox forbids it; then both sides of every pair must use fence_seq_cst()
// instead. A second call does nothing. The announcement holds in the child of a fork too.
[[nodiscard]] bool membarrier_register() noexcept;

// Only after membarrier_register() returned true. Any thread that runs user code passes a full
// barrier before this returns; a thread that is off its core passed one in the switch.
void membarrier() noexcept;

// The same for restart_others(); false: the kernel (before 5.10) or a sandbox refuses it.
[[nodiscard]] bool restart_register() noexcept;

// A full barrier as above that also restarts: each restartable store of another thread has happened
// by the time this returns, or never does. Only after restart_register() returned true.
void restart_others() noexcept;

}  // namespace weft::rt::os
