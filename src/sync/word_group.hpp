// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens to those who wait at a word when it becomes full or empty; for words and syncvars.
//
// A cell is a word and its closed bucket: word.cpp and syncvar.cpp have one each, with
//   uintptr_t key()                  what its group is found by
//   words_table::held& held()
//   void lock(), unlock()            close and open
//   bool empty()
//   uint64_t value(), void put(uint64_t)
//   bool set_empty()                 false: no room, nothing happened (see lock_with_room)
//   void set_full()
//   bool get_room()                  not under the bucket: memory for set_empty; false: there is
//                                    none
#pragma once

#include <cerrno>

#include "sched/handover.hpp"
#include "sync/word.hpp"

namespace weft::rt {

template <class Cell>
word_group* find_group(Cell& c) noexcept {
  return static_cast<word_group*>(words_table::find_note(c.held(), c.key()));
}

// Begins a group in memory of its host's.
template <class Cell>
void add_group(Cell& c, word_group& g, word_waiter* host) noexcept {
  g.word = c.key();
  g.host = host;
  words_table::add_note(c.held(), g);
}

// After waiters have left: the group ends, or moves if its host is gone.
inline void settle_group(words_table::held& h, word_group& g) noexcept {
  waiter* any = g.readers.first();
  if (any == nullptr) any = g.writers.first();
  if (any == nullptr) any = g.turn.first();
  if (any != nullptr || g.producer != nullptr) {
    const bool hosted =
        g.host != nullptr ? g.host->queued : g.producer != nullptr && &g.producer->group == &g;
    if (hosted) return;
  }
  if (any == nullptr && g.producer == nullptr) {
    words_table::remove_note(h, g, g.word);
    return;
  }
  auto* host = static_cast<word_waiter*>(any);
  word_group& to = host != nullptr ? host->group : g.producer->group;
  to = g;
  to.host = host;
  h.at->notes.replace(g, to);
}

// Those who were served, to be woken when the bucket is open.
class served {
 public:
  void add(waiter& n) noexcept {
    n.next = nullptr;
    *end_ = &n;
    end_ = &n.next;
  }
  // Of those who stand for no flow: there is nothing to wait for any more.
  void forget() noexcept {
    for (waiter* n = first_; n != nullptr;) {
      auto& w = static_cast<word_waiter&>(*n);
      n = n->next;
      w.called(w, false);
    }
  }
  // With no bucket closed.
  void wake() noexcept {
    for (waiter* n = first_; n != nullptr;) {
      auto& w = static_cast<word_waiter&>(*n);
      n = n->next;
      if (w.called != nullptr) {
        w.called(w, true);
      } else {
        w.of->wake();
      }
    }
  }

 private:
  waiter* first_ = nullptr;
  waiter** end_ = &first_;
};

inline word_waiter* take_waiter(wait_queue& q) noexcept {
  while (auto* n = static_cast<word_waiter*>(q.first())) {
    q.remove(*n);
    if (n->called != nullptr) return n;
    if (n->of->claim()) {
      n->chosen = true;
      return n;
    }
  }
  return nullptr;
}

inline void drop_producer(word_group& g) noexcept {
  word_producer* p = g.producer;
  if (p == nullptr) return;
  g.producer = nullptr;
  p->named = false;
}

// The word was empty and holds a value now: serves those who waited for that. It is full
// afterwards, or still empty because one of them has taken the value.
template <class Cell>
void serve_full(Cell& c, word_group* g, served& out) noexcept {
  if (g == nullptr) return c.set_full();
  drop_producer(*g);
  while (word_waiter* n = take_waiter(g->writers)) {
    c.put(n->value);
    out.add(*n);
  }
  while (word_waiter* n = take_waiter(g->readers)) {
    n->value = c.value();
    out.add(*n);
  }
  if (word_waiter* n = take_waiter(g->turn)) {
    n->value = c.value();
    out.add(*n);
  } else {
    c.set_full();
  }
  settle_group(c.held(), *g);
}

// The word is full and shall be empty. The first who waits for that fills it at once; `value` is
// what an emptied word holds, if it shall hold another one. False: no room, nothing happened.
template <class Cell>
bool serve_empty(Cell& c, word_group* g, const uint64_t* value, served& out) noexcept {
  word_waiter* n = g != nullptr ? take_waiter(g->turn) : nullptr;
  if (n != nullptr) {
    if (n->want == word_want::write_ef) {
      c.put(n->value);
    } else if (value != nullptr) {
      c.put(*value);
    }
    out.add(*n);
    settle_group(c.held(), *g);
    return true;
  }
  if (!c.set_empty()) {
    if (g != nullptr) settle_group(c.held(), *g);
    return false;
  }
  if (value != nullptr) c.put(*value);
  if (g != nullptr) settle_group(c.held(), *g);
  return true;
}

// Takes out those who stand for a task; adds to `calls` those who stand for no flow.
inline void drop_tasks(wait_queue& q, served& calls) noexcept {
  for (waiter* n = q.first(); n != nullptr;) {
    waiter* next = n->next;
    if (n->of == nullptr || n->of->of_task()) {
      q.remove(*n);
      if (n->of == nullptr) calls.add(*n);
    }
    n = next;
  }
}

enum class word_step { done, must_wait, no_room };

// One look under the bucket: does what n wants if the word is as it must be.
template <class Cell>
WEFT_ALWAYS_INLINE word_step step(Cell& c, word_group* g, word_waiter& n, served& out) noexcept {
  if (c.empty() != wants_empty(n.want)) return word_step::must_wait;
  switch (n.want) {
    case word_want::read_ff:
      n.value = c.value();
      return word_step::done;
    case word_want::read_fe: {
      const uint64_t value = c.value();
      if (!serve_empty(c, g, nullptr, out)) return word_step::no_room;
      n.value = value;
      return word_step::done;
    }
    case word_want::write_ef:
      c.put(n.value);
      serve_full(c, g, out);
      return word_step::done;
    case word_want::fill_ef:
      serve_full(c, g, out);
      return word_step::done;
    case word_want::write_ff:
      c.put(n.value);
      return word_step::done;
  }
  __builtin_unreachable();
}

inline wait_queue& queue_for(word_group& g, word_want want) noexcept {
  if (want == word_want::read_ff) return g.readers;
  return want == word_want::write_ff ? g.writers : g.turn;
}

template <class Cell>
void stand(Cell& c, word_group* g, word_waiter& n) noexcept {
  if (g == nullptr) {
    g = &n.group;
    add_group(c, *g, &n);
  }
  queue_for(*g, n.want).push(n);
}

// n stands there.
template <class Cell>
void leave(Cell& c, word_waiter& n) noexcept {
  word_group& g = *find_group(c);
  queue_for(g, n.want).remove(n);
  settle_group(c.held(), g);
}

// Steps until there is room: 0, -EBUSY (it must wait; the bucket is closed), -ENOMEM. is_closed:
// the cell, already.
template <class Cell>
WEFT_ALWAYS_INLINE int try_step(Cell& c, word_waiter& n, bool is_closed) noexcept {
  for (;; is_closed = false) {
    served out;
    if (!is_closed) c.lock();
    const word_step s = step(c, find_group(c), n, out);
    if (s == word_step::must_wait) return -EBUSY;
    c.unlock();
    out.wake();
    if (s == word_step::done) return 0;
    if (!c.get_room()) return -ENOMEM;
  }
}

// The word is empty afterwards, or was: with *value, or what it held; p, if given, is its producer.
// If somebody waits to fill it, it is full again, and has no producer.
template <class Cell>
int word_empties(Cell& c, const uint64_t* value, word_producer* p) noexcept {
  for (;;) {
    served out;
    c.lock();
    word_group* g = find_group(c);
    bool had_room = true;
    if (!c.empty()) {
      had_room = serve_empty(c, g, value, out);
    } else {
      if (value != nullptr) c.put(*value);
      if (g != nullptr) {
        drop_producer(*g);
        settle_group(c.held(), *g);
      }
    }
    if (p != nullptr && had_room && c.empty()) {
      g = find_group(c);
      if (g == nullptr) {
        g = &p->group;
        add_group(c, *g, nullptr);
      }
      g->producer = p;
      p->named = true;
    }
    c.unlock();
    out.wake();
    if (had_room) return 0;
    if (!c.get_room()) return -ENOMEM;
  }
}

// The word is full afterwards: with *value, or what it held. p, if given, is named no more.
template <class Cell>
int word_fills(Cell& c, const uint64_t* value, word_producer* p) noexcept {
  served out;
  c.lock();
  word_group* g = find_group(c);
  if (p != nullptr && p->named) {
    if (g != nullptr) {
      drop_producer(*g);
      settle_group(c.held(), *g);
      g = find_group(c);
    } else {
      p->named = false;  // in a child of fork() there is no group any more
    }
  }
  if (value != nullptr) c.put(*value);
  if (c.empty()) serve_full(c, g, out);
  c.unlock();
  out.wake();
  return 0;
}

// If p is named, the word is full afterwards, with what it holds.
template <class Cell>
void word_disowns(Cell& c, word_producer& p) noexcept {
  served out;
  c.lock();
  word_group* const g = find_group(c);
  if (p.named && g != nullptr && g->producer == &p) serve_full(c, g, out);
  p.named = false;  // in a child of fork() no group names it any more
  c.unlock();
  out.wake();
}

// Does what is wanted, and waits for it unless the deadline says at_once.
template <class Cell>
WEFT_ALWAYS_INLINE int word_act(Cell& c, const char* what, const void* object, word_want want,
                                uint64_t& value, int64_t deadline_ns, void* site,
                                wait_note note = nullptr, bool is_closed = false) noexcept {
  wait w(what, object, site);
  word_waiter n(w, want, value);
  int failed = try_step(c, n, is_closed);
  if (failed == -EBUSY) {
    if (deadline_ns != at_once) failed = w.may_wait();
    if (failed != 0) {
      c.unlock();
      return failed;
    }
    word_group* g = find_group(c);
    if (note != nullptr) note(1);
    task* child = nullptr;
    if (wants_value(want) && deadline_ns == forever && w.is_sole() && g != nullptr &&
        g->producer != nullptr)
      child = take_unstarted(g->producer->who);
    stand(c, g, n);
    failed = child != nullptr ? w.until_running(*child, c) : w.until_holding(c, deadline_ns);
    if (note != nullptr) note(0);
    if (failed != 0) {
      if (failed != -ENOMEM) c.lock();
      if (n.queued) leave(c, n);
      c.unlock();
    }
  }
  if (failed == 0) value = n.value;
  return failed;
}

}  // namespace weft::rt
