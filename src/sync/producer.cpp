// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spawning a task that will fill a word.
#include "sync/producer.hpp"

#include <cerrno>
#include <new>

namespace weft::rt {

int spawn_producer(worker* w, weft_fn_t fn, void* argument, void* site,
                   const spawn_request& request, uint64_t* word, void* memory) noexcept {
  task* t = nullptr;
  int failed = make_task(w, fn, argument, site, request, true, t);
  if (failed != 0) return failed;
  // Before the start: who named the producer of a word that it has filled already would leave it
  // empty.
  auto* producer = new (memory) word_producer(t);
  failed = word_set_producer(word, *producer);
  if (failed != 0) {
    unmake_task(w, t);
    return failed;
  }
  t->join.start_detached(reinterpret_cast<uintptr_t>(word));
  start_task(w, t);
  return 0;
}

int spawn_producer(worker* w, weft_fn_t fn, void* argument, void* site, uint64_t* word,
                   void* memory) noexcept {
  if (w == nullptr || w->tasks.empty() || w->deque.full()) [[unlikely]]
    return spawn_producer(w, fn, argument, site, {}, word, memory);
  task* t = w->tasks.take();
  auto* producer = new (memory) word_producer(t);
  const int failed = word_set_producer(word, *producer);
  if (failed != 0) [[unlikely]] {
    release_task(w, t);
    return failed;
  }
  t->join.start_detached(reinterpret_cast<uintptr_t>(word));
  push_fresh(*w, t, fn, argument, site);
  return 0;
}

int spawn_for_slow(worker* w, weft_fn_t fn, void* argument, void* site, void* object) noexcept {
  task* t = nullptr;
  const int failed = make_task(w, fn, argument, site, {}, true, t);
  if (failed != 0) return failed;
  t->join.start_detached(reinterpret_cast<uintptr_t>(object));
  start_task(w, t);
  return 0;
}

int spawn_filler_slow(worker* w, weft_fn_t fn, void* argument, void* site,
                      uint64_t* word) noexcept {
  task* t = nullptr;
  int failed = make_task(w, fn, argument, site, {}, true, t);
  if (failed != 0) return failed;
  failed = word_empty(word);
  if (failed != 0) {
    unmake_task(w, t);
    return failed;
  }
  t->join.start_detached(word_address(word));
  start_task(w, t);
  return 0;
}

}  // namespace weft::rt
