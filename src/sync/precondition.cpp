// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that start when words are full: a note of the words stands in the readers' queue of one of
// them at a time, for the task, and goes on to the next when that word is full.
#include "sync/precondition.hpp"

#include <cerrno>

#include "sync/deferred.hpp"
#include "sync/word.hpp"

namespace weft::rt {

namespace {

void go_on(word_waiter& n, bool full) noexcept;

struct reader_for_task : word_waiter {
  reader_for_task() noexcept : word_waiter(go_on) {}
};
using note_of_words = deferred<reader_for_task, const uint64_t*>;

// Stands at the first of the rest that is empty; if none is, the task starts. By whoever has the
// note.
void look_on(note_of_words& n) noexcept {
  for (; !n.over(); n.pass())
    if (word_stand(const_cast<uint64_t*>(n.first()), n) == 0) return;  // it may be another's by now
  start_task(self(), n.end());
}

void go_on(word_waiter& n, bool full) noexcept {
  auto& me = static_cast<note_of_words&>(n);
  if (full) {
    me.group = {};  // it may have moved on with others in it
    me.pass();
    look_on(me);
  } else {
    (void)me.end();  // the runtime stops, and the descriptor goes with it
  }
}

}  // namespace

const task& task_of_note(const word_waiter& n) noexcept {
  return *static_cast<const note_of_words&>(n).what();
}

int spawn_when(worker* w, weft_fn_t fn, void* argument, void* site, const spawn_request& request,
               const uint64_t* const* words_to_fill, std::size_t count, task** out) noexcept {
  if (!words.ready()) return -ENOMEM;
  note_of_words* n = nullptr;
  const int failed =
      note_of_words::make(w, fn, argument, site, request, words_to_fill, count, out, n);
  if (failed != 0) return failed;
  look_on(*n);
  return 0;
}

}  // namespace weft::rt
