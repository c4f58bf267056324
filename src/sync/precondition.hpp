// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that start when words are full.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/spawn.hpp"

namespace weft::rt {

struct word_waiter;

// The words are looked at one after the other; the array is copied. 0, or as make_task (nothing
// happened).
int spawn_when(worker* w, weft_fn_t fn, void* argument, void* site, const spawn_request& request,
               const uint64_t* const* words_to_fill, std::size_t count, task** out) noexcept;

// The task that a note of such words stands for, under the bucket of the word at which it stands.
const task& task_of_note(const word_waiter& n) noexcept;

}  // namespace weft::rt
