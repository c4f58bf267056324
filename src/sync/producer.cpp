// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spawning a task that will fill a word.
#include "sync/producer.hpp"

#include <cerrno>
#include <new>

namespace weft::rt {

int spawn_producer(worker* w, weft_fn_t fn, void* argument, void* site,
                   const spawn_request& request, uint64_t* word, void* memory) noexcept {
  task* t = make_task(w, fn, argument, site, request, true);
  if (t == nullptr) return -ENOMEM;
  // Before the start: who named the producer of a word that it has filled already would leave it empty.
  auto* producer = new (memory) word_producer(t);
  const int failed = word_set_producer(word, *producer);
  if (failed != 0) {
    release_task(w, t);
    return failed;
  }
  start_task(w, t);
  return 0;
}

}  // namespace weft::rt
