// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that start when words are full: a note of the words stands in the readers' queue of one of
// them at a time, for the task, and goes on to the next when that word is full.
#include "sync/precondition.hpp"

#include <cerrno>
#include <cstring>
#include <new>

#include "mem/raw.hpp"
#include "sync/word.hpp"

namespace weft::rt {

namespace {

struct note_of_words : word_waiter {
  note_of_words(task* t, std::size_t n) noexcept : word_waiter(go_on), what(t), count(n) {}

  static std::size_t bytes_for(std::size_t count) noexcept {
    return sizeof(note_of_words) + count * sizeof(uint64_t*);
  }
  uint64_t** list() noexcept { return reinterpret_cast<uint64_t**>(this + 1); }

  static void go_on(word_waiter& n, bool full) noexcept;

  task* const what;
  const std::size_t count;
  std::size_t next = 0;  // the first word that was not seen full yet
};

// Stands at the first of the rest that is empty; if none is, the task starts. By whoever has the note.
void look_on(note_of_words* n) noexcept {
  for (; n->next < n->count; ++n->next)
    if (word_stand(n->list()[n->next], *n) == 0) return;  // it may be another's by now
  task* t = n->what;
  raw_free(n, note_of_words::bytes_for(n->count));
  start_task(self(), t);
}

void note_of_words::go_on(word_waiter& n, bool full) noexcept {
  auto* me = static_cast<note_of_words*>(&n);
  if (full) {
    ++me->next;
    look_on(me);
  } else {
    raw_free(me, bytes_for(me->count));  // the runtime stops, and the descriptor goes with it
  }
}

}  // namespace

int spawn_when(worker* w, weft_fn_t fn, void* argument, void* site, const spawn_request& request,
               const uint64_t* const* words_to_fill, std::size_t count, task** out) noexcept {
  if (count > SIZE_MAX / sizeof(uint64_t*) / 2 || !words.ready()) return -ENOMEM;
  void* memory = raw_alloc(note_of_words::bytes_for(count));
  if (memory == nullptr) return -ENOMEM;
  task* t = make_task(w, fn, argument, site, request, out == nullptr);
  if (t == nullptr) {
    raw_free(memory, note_of_words::bytes_for(count));
    return -ENOMEM;
  }
  auto* n = new (memory) note_of_words(t, count);
  if (count != 0) std::memcpy(n->list(), words_to_fill, count * sizeof(uint64_t*));
  if (out != nullptr) *out = t;  // before the task can run
  look_on(n);
  return 0;
}

}  // namespace weft::rt
