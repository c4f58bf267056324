// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens when a task runs off its stack: one report, then the signal as usual.
//
// The report goes to standard error, before the process dies as it would have anyway (a core dump,
// or the program's own handler, which is called as if Weft were not there; one for SIGBUS alone is
// called too, for that is what a guard raises elsewhere):
//   weft: stack overflow: 0x7f0c8a3e1ff8 is in the guard below a stack of 64 KiB
//   weft: running there: <what the scheduler's description says>
//   weft: set WEFT_STACK_SIZE=128K or more, or stack_bytes in weft_config_t
// Where the kernel found no room for the frame of a signal handler, the first line says so:
//   weft: stack overflow: the frame of a signal handler does not fit below 0x7f... on a stack ...
// Where the access went up, past the high end of the stack that runs, into the guard of the next
// one, no stack is too small, and the report is another:
//   weft: stack overrun: 0x7f0c8a3e1ff8 is in the guard above a stack of 64 KiB
//   weft: more stack does not help: something wrote or read past its end, upwards, ...
//   weft: running there: <as above>
// Each line is written before what the next one needs is looked at.
// Where a stack has only a canary, the first line says so, and the end is abort(): the damage is
// done.
//
// Orders
//   V1 -> V2   the reporter's pool and description are set before it is armed
//   R1 -> R2   the report is written before who overflowed meanwhile ends the process
#pragma once

#include <cstddef>

#include "base/attributes.hpp"
#include "mem/stack.hpp"
#include "os/signal.hpp"
#include "os/text.hpp"

namespace weft::rt {

// Says in a few words what runs on a stack and where it was spawned; no newline. What is in `out`
// goes to standard error, and may be flushed there. Called in a signal handler: async-signal-safe,
// no lock, none of the loader's either. In a canary report the task may have ended already.
using describe_stack = void (*)(const stack& s, os::text& out) noexcept;

// The stack that the calling thread runs on; nullptr: not known. Async-signal-safe.
using running_stack = const stack* (*)() noexcept;

// One pool at a time. 0, -EALREADY, -errno (sigaction refused). `describe` may be nullptr; without
// `running` an overrun is taken for an overflow of the next stack by a frame larger than its guard.
[[nodiscard]] int install_overflow_reporter(stack_pool& pool, describe_stack describe,
                                            running_stack running = nullptr) noexcept;

// Before the pool stops, and in the child of a fork. Nothing to do twice.
void uninstall_overflow_reporter() noexcept;

// The last line above, for an overflow that reached down to `lowest`. Async-signal-safe.
void add_suggestion(const stack& s, const void* lowest, os::text& out) noexcept;

// The stack that the handler runs on: every thread that runs tasks attaches one.
class report_stack {
 public:
  // By the thread itself. 0, -ENOMEM, -EPERM.
  [[nodiscard]] int attach() noexcept { return stack_.attach(bytes); }
  // By the same thread. Nothing to do twice.
  void detach() noexcept { stack_.detach(); }

  // The report's text, the description, and a program's own handler that we pass on to.
  static constexpr std::size_t bytes = std::size_t{64} << 10;

 private:
  os::alternate_stack stack_;
};

// The canary of s is damaged: reports and aborts.
[[noreturn]] WEFT_COLD void report_canary_damage(const stack& s, const void* address) noexcept;

}  // namespace weft::rt
