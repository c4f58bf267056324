// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worker of the calling OS thread. Never keep the answer across anything that can park.
#pragma once

#include "arch/self_word.hpp"
#include "base/attributes.hpp"

namespace weft::rt {

struct worker;

// Null on a thread that is no worker.
WEFT_ALWAYS_INLINE worker* self() noexcept { return static_cast<worker*>(arch::load_self_word()); }

void set_self(worker* w) noexcept;

// For sync/cancel_scope.hpp, of threads that are no workers.
void* thread_scopes() noexcept;
void set_thread_scopes(void* scopes) noexcept;

// The task that the calling thread runs without being a worker: see outside.hpp.
struct outside_flow;
[[gnu::noinline]] outside_flow* thread_outside() noexcept;
[[gnu::noinline]] void set_thread_outside(outside_flow* flow) noexcept;

}  // namespace weft::rt
