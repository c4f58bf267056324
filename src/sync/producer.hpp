// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spawning a task that will fill a word.
#pragma once

#include "sched/spawn.hpp"
#include "sync/word.hpp"

namespace weft::rt {

// Empties `word` and spawns a detached task that is named there as its producer, and calls word_produce.
// `memory` holds a word_producer until then. 0, or as make_task.
int spawn_producer(worker* w, weft_fn_t fn, void* argument, void* site,
                   const spawn_request& request, uint64_t* word, void* memory) noexcept;

// The same without any request.
int spawn_producer(worker* w, weft_fn_t fn, void* argument, void* site, uint64_t* word,
                   void* memory) noexcept;

}  // namespace weft::rt
