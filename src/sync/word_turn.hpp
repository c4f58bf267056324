// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is usual where a read_fe or a write_ef meets others: a task waits in turn, and who comes
// next hands over to it.
//
// The groups and their invariants are those of word_group.hpp, which does the same for all kinds of
// waiters and words. Here is nobody in the way: no reader, no writer, no producer, no waiter that
// somebody else may wake. So who hands over leaves the word as it was, full or empty, and neither
// looks for its entry nor changes it.
#pragma once

#include "sched/ready.hpp"
#include "sync/word_group.hpp"

namespace weft::rt {

// The first of the word's turn, out of its queue, if it waits for `want` and all is as above. Null:
// nothing happened.
WEFT_ALWAYS_INLINE word_waiter* take_turn(words_table::held& h, uintptr_t key,
                                          word_want want) noexcept {
  auto* const g = static_cast<word_group*>(words_table::find_note(h, key));
  if (g == nullptr) return nullptr;
  auto* const n = static_cast<word_waiter*>(g->turn.first());
  if (n == nullptr || n->want != want || !g->readers.empty() || !g->writers.empty() ||
      g->producer != nullptr || n->called != nullptr || !n->of->is_sole() || !n->of->of_task())
    return nullptr;
  g->turn.remove(*n);
  if (g->turn.empty()) [[likely]] {
    words_table::remove_note(h, *g, key);
  } else {
    settle_group(h, *g);
  }
  return n;
}

// Opens the bucket, and wakes whom take_turn() took out.
WEFT_ALWAYS_INLINE void open_and_wake(const words_table::held& h, word_waiter& n) noexcept {
  task& t = n.of->sole_task();
  words.open(h);
  make_ready_here(self(), &t);
}

// write_ef of an empty word, to the task that waits to read and empty it.
WEFT_ALWAYS_INLINE bool write_to_turn(words_table::held h, uint64_t* word,
                                      uint64_t value) noexcept {
  word_waiter* const n = take_turn(h, word_address(word), word_want::read_fe);
  if (n == nullptr) return false;
  n->value = value;
  atomic_place(word).store_release(value);  // word_V1 -> word_V2
  open_and_wake(h, *n);
  return true;
}

// read_fe of a full word, which the task that waits to write it fills again.
WEFT_ALWAYS_INLINE bool read_from_turn(words_table::held h, uint64_t* word,
                                       uint64_t& value) noexcept {
  word_waiter* const n = take_turn(h, word_address(word), word_want::write_ef);
  if (n == nullptr) return false;
  value = atomic_place(word).load_relaxed();   // via: the bucket
  atomic_place(word).store_release(n->value);  // word_V1 -> word_V2
  open_and_wake(h, *n);
  return true;
}

// No stack could be had: the bucket is closed still.
WEFT_COLD inline void leave_turn(words_table::bucket* at, uint64_t state, word_waiter& n) noexcept {
  words_table::held h{at, state};
  auto& g = *static_cast<word_group*>(words_table::find_note(h, n.group.word));
  g.turn.remove(n);
  settle_group(h, g);
  words.open(h);
}

// Waits in turn at a word that is not as `want` wants it, and opens the bucket. 0: `value` is what
// was read; -ENOMEM. Above 0: that would not be usual, nothing happened, the bucket is closed.
WEFT_ALWAYS_INLINE int wait_turn(words_table::held h, uint64_t* word, word_want want,
                                 uint64_t& value, const char* what, void* site,
                                 wait_note note) noexcept {
  constexpr int not_usual = 1;
  const uintptr_t key = word_address(word);
  worker* const w = self();
  if (w == nullptr || is_called_aside(*w)) return not_usual;
  wait my_wait(w->current.get(), what, word, site);
  task* const me = my_wait.usual(forever);
  if (me == nullptr || words.is_empty(h, key) == (want == word_want::write_ef)) return not_usual;
  auto* const g = static_cast<word_group*>(words_table::find_note(h, key));
  // Another word's note with the same bit: whether there are too many is not asked here.
  if (g == nullptr ? words_table::may_be_noted(h, key) : g->producer != nullptr) return not_usual;
  word_waiter n(my_wait, want, value);
  n.group.word = key;
  if (g != nullptr) {
    g->turn.push(n);
  } else {
    n.group.host = &n;
    n.group.turn.push(n);
    words_table::add_note(h, n.group);
  }
  if (note != nullptr) note(1);
  const int failed = my_wait.until_opening(*w, *me, {h.at->state, words_table::opened(h)});
  if (note != nullptr) note(0);
  if (failed != 0) [[unlikely]] {
    leave_turn(h.at, h.state, n);
    return failed;
  }
  value = n.value;
  return 0;
}

}  // namespace weft::rt
