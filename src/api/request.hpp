// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a weft_spawn_t, of whatever size the caller knows it, into what a spawn inside is asked
// with.
#pragma once

#include <weft/task.h>

#include "sched/spawn.hpp"

namespace weft::rt {

// A worker's number, WEFT_SHEPHERD(s) or WEFT_ANYWHERE. Whether there is such a place is not asked.
place read_place(uint32_t where) noexcept;

// 0, or what is wrong with it. `given` may be null: all by default. Whether the place exists is not
// asked: that needs a runtime.
int read_request(const weft_spawn_t* given, const void* arg, spawn_request& out) noexcept;

}  // namespace weft::rt
