// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tasks wait at words and syncvars, for who wants to look at all of them.
//
// Each is shown while the bucket of its word is closed: it is parked, or runs no further than the
// end of its wait, and so what its frames hold stays.
#pragma once

#include "sync/precondition.hpp"
#include "sync/word.hpp"

namespace weft::rt {

struct waiting_at_word {
  const void* word;
  bool is_syncvar;
  const task* who;
  bool begun;  // or it begins when the word is full
};

// visit(const waiting_at_word&), which uses no word. Threads that are no workers are passed over.
template <class Visit>
void visit_word_waiters(Visit&& visit) noexcept {
  if (words.buckets() == 0) return;
  words.for_each([&](const words_table::held& h) {
    h.at->notes.for_each([&](const word_note& note) {
      const auto& g = static_cast<const word_group&>(note);
      const uintptr_t of_syncvar = note.word & 1;  // see syncvar_cell::key()
      waiting_at_word shown{reinterpret_cast<const void*>(note.word - of_syncvar), of_syncvar != 0,
                            nullptr, false};
      for (const wait_queue* q : {&g.readers, &g.writers, &g.turn})
        for (const waiter* n = q->first(); n != nullptr; n = n->next) {
          const auto& w = static_cast<const word_waiter&>(*n);
          shown.begun = w.called == nullptr;
          shown.who = shown.begun ? w.of->waiting_task() : &task_of_note(w);
          if (shown.who != nullptr) visit(shown);
        }
    });
  });
}

}  // namespace weft::rt
