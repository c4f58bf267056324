// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says in a few words what runs on a stack; for reports.
#pragma once

#include "mem/stack.hpp"
#include "os/text.hpp"

namespace weft::rt {

// Async-signal-safe. A task's name, in quotes.
void add_task_name(os::text& out, const char* name) noexcept;

// Async-signal-safe. Whose own task it is, of an OS thread that has one; null: of none.
const char* thread_of(const task& t) noexcept;

// For standard error, where some of it may stand at the return already. Async-signal-safe; by the
// thread that runs on the stack.
void describe_stack_user(const stack& s, os::text& out) noexcept;

}  // namespace weft::rt
