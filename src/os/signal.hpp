// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Alternate signal stacks, and a handler for memory faults that leaves the program's own in place.
#pragma once

#include <cstddef>

namespace weft::rt::os {

// What the kernel pushes before a handler runs: with wide vector registers several KiB.
// Async-signal-safe.
[[nodiscard]] std::size_t signal_frame_bytes() noexcept;

// The signal stack of one thread. attach and detach are called by that thread.
class alternate_stack {
 public:
  alternate_stack() noexcept = default;
  alternate_stack(const alternate_stack&) = delete;
  alternate_stack& operator=(const alternate_stack&) = delete;

  // Gives the calling thread a signal stack of at least bytes (and what the CPU's registers need),
  // with a guard below it. A stack that the program installed stays if it is at least as large; a
  // smaller one is put aside until detach. 0 or -errno (-ENOMEM; -EPERM on a signal stack now).
  [[nodiscard]] int attach(std::size_t bytes) noexcept;

  // Undoes attach. If the program has set another signal stack meanwhile, that one stays.
  void detach() noexcept;

 private:
  void* mapping_ = nullptr;  // guard and stack, or nullptr: the program's own stack was kept
  std::size_t mapping_bytes_ = 0;
  void* before_ = nullptr;  // what the program had, to be put back
  std::size_t before_bytes_ = 0;
  int before_flags_ = 0;
};

// What is known about one memory fault.
struct fault {
  int number;                 // SIGSEGV or SIGBUS
  const void* address;        // what the access touched; nullptr when the CPU does not say
  const void* stack_pointer;  // when it happened; nullptr on a CPU that os/ does not know
  const void* code;           // the instruction; nullptr likewise
  // No access: the kernel could not write the frame of a handler, and the signal that it was for is
  // lost.
  bool no_frame;
};

enum class fault_verdict {
  pass_on,  // not ours: goes to the action that was there before, and our handler stays
  // Reported: the previous action is put back and the access is repeated. Where that action is none
  // of the program's but it handles SIGBUS, a SIGSEGV is told to that handler first.
  die
};

// Runs in the handler, on the alternate stack: async-signal-safe, no lock.
using fault_fn = fault_verdict (*)(const fault& what) noexcept;

// Installs fn for SIGSEGV and SIGBUS (process-wide; once until removed). 0, -errno, -EALREADY.
// A signal that kill() or the like sent is never shown to fn; it is passed on.
[[nodiscard]] int fault_handler_install(fault_fn fn) noexcept;

// Puts the previous actions back. Where the program has installed a handler over ours since, that
// one stays, and what it passes on to ours goes on to the previous action; a later install leaves
// it on top and sees only what it passes on. Nothing to do twice; in the child of a fork also where
// another thread was installing or removing it.
void fault_handler_remove() noexcept;

}  // namespace weft::rt::os
