// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The condition: wait until somebody signals, with a mutex given up meanwhile.
//
// Zero is a condition nobody waits for; the word has no state of its own. Who waits gives the mutex
// up on the next stack, after its place in the queue is known, so no signal that follows the unlock
// is missed.
//
// A signal does not wake its waiter only to let it wait for the mutex: it makes it a waiter of the
// mutex (mutex::adopt), where the unlock finds it. So a broadcast under the mutex wakes nobody at
// all; each waiter runs when the mutex is its own.
//
// A wait by deadline ends in one of two ways, and who claims it first says which: the signal, then
// it waits for the mutex without a deadline and returns 0; or the deadline, then no signal is used
// up.
#pragma once

#include <cstdint>

#include "sync/mutex.hpp"
#include "sync/queue_word.hpp"
#include "sync/wait.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

class condition {
 public:
  // The caller holds m, as often as it likes. 0, -ETIMEDOUT, or with m never given up -ENOMEM,
  // -EPERM (m is not the caller's, or a stackless task).
  int wait_with(mutex& m, int64_t deadline_ns, void* site) noexcept;

  // To so many of those who wait.
  void signal(uint64_t most) noexcept;

 private:
  struct sleeper;
  struct both;

  queue_word word_;
  wait_queue queue_;
};

}  // namespace weft::rt
