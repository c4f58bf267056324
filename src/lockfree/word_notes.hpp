// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of one bucket at which somebody waits, in the order in which the waits began.
//
// A ring of notes of which the bucket knows the newest, in one pointer: the oldest, whose wait is
// as a rule the next to end, follows it. So is it found, and taken out, without a walk. Used under
// the closed bucket alone.
#pragma once

#include <cstdint>

#include "base/guarded.hpp"

namespace weft::rt {

// A word at which somebody waits; lies in a waiter's memory.
struct word_note {
  uintptr_t word = 0;
  word_note* next = nullptr;
};

class word_notes {
 public:
  constexpr word_notes() noexcept = default;

  bool empty() const noexcept { return newest_.get() == nullptr; }
  unsigned count() const noexcept {
    unsigned n = 0;
    for_each([&](const word_note&) { ++n; });
    return n;
  }

  word_note* find(uintptr_t word) const noexcept {
    if (empty()) return nullptr;
    word_note* const last = newest_.get();
    word_note* n = last;
    do {
      n = n->next;
      if (n->word == word) return n;
    } while (n != last);
    return nullptr;
  }

  void add(word_note& n) noexcept {
    if (empty()) {
      n.next = &n;
    } else {
      n.next = newest_.get()->next;
      newest_.get()->next = &n;
    }
    newest_.set(&n);
  }

  // n is here.
  void remove(word_note& n) noexcept {
    word_note* const before = before_of(n);
    if (before == &n) {
      newest_.set(nullptr);
      return;
    }
    before->next = n.next;
    if (newest_.get() == &n) newest_.set(before);
  }

  // n is here; `by`, of the same word, takes its place.
  void replace(word_note& n, word_note& by) noexcept {
    word_note* const before = before_of(n);
    by.next = before == &n ? &by : n.next;
    before->next = &by;
    if (newest_.get() == &n) newest_.set(&by);
  }

  // All that are in `others`; none is here.
  void take_all(word_notes& others) noexcept {
    newest_.set(others.newest_.get());
    others.newest_.set(nullptr);
  }

  // The oldest first; visit(note) may take it out.
  template <class Visit>
  void for_each(Visit&& visit) const noexcept {
    const word_note* const last = newest_.get();
    if (last == nullptr) return;
    for (word_note* n = last->next;;) {
      word_note* const next = n->next;
      const bool was_last = n == last;
      visit(*n);
      if (was_last) return;
      n = next;
    }
  }

 private:
  word_note* before_of(const word_note& n) const noexcept {
    word_note* at = newest_.get();
    while (at->next != &n) at = at->next;
    return at;
  }

  guarded<word_note*> newest_;
};

}  // namespace weft::rt
