// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spawning a task that will fill a word: one that the word names, or one that knows the word
// itself.
#pragma once

#include "sched/spawn.hpp"
#include "sync/word.hpp"

namespace weft::rt {

// Empties `word` and spawns a detached task that is named there as its producer, and calls
// word_produce. `memory` holds a word_producer until then. 0, or as make_task.
int spawn_producer(worker* w, weft_fn_t fn, void* argument, void* site,
                   const spawn_request& request, uint64_t* word, void* memory) noexcept;

// The same without any request.
int spawn_producer(worker* w, weft_fn_t fn, void* argument, void* site, uint64_t* word,
                   void* memory) noexcept;

// Detached tasks that are spawned for an object, 8 aligned bytes, which their join word names. Out
// of the usual: 0, -ENOMEM.
WEFT_COLD int spawn_for_slow(worker* w, weft_fn_t fn, void* argument, void* site,
                             void* object) noexcept;
// The same for a word, which is emptied first.
WEFT_COLD int spawn_filler_slow(worker* w, weft_fn_t fn, void* argument, void* site,
                                uint64_t* word) noexcept;

WEFT_ALWAYS_INLINE int spawn_for(worker* w, weft_fn_t fn, void* argument, void* site,
                                 void* object) noexcept {
  if (w == nullptr || w->tasks.empty() || w->deque.full()) [[unlikely]]
    return spawn_for_slow(w, fn, argument, site, object);
  task* const t = w->tasks.take();
  t->join.start_detached(reinterpret_cast<uintptr_t>(object));
  push_fresh(*w, t, fn, argument, site);
  return 0;
}

// Every question comes before the word is emptied, which is done only if it is plain: no group, no
// line outside.
WEFT_ALWAYS_INLINE int spawn_filler(worker* w, weft_fn_t fn, void* argument, void* site,
                                    uint64_t* word) noexcept {
  const uintptr_t key = word_address(word);
  const auto nobody_waits = [&](const words_table::held& h) {
    return !words_table::may_be_noted(h, key);
  };
  if (w == nullptr || w->tasks.empty() || w->deque.full() ||
      !words.empty_plainly(key, nobody_waits)) [[unlikely]]
    return spawn_filler_slow(w, fn, argument, site, word);
  task* const t = w->tasks.take();
  t->join.start_detached(key);
  push_fresh(*w, t, fn, argument, site);
  return 0;
}

}  // namespace weft::rt
