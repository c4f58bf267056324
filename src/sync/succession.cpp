// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that start when others are done: a note of the others listens to the end of one of them at a time,
// for the task, releases it, and goes on to the next.
#include "sync/succession.hpp"

#include <cerrno>
#include <cstring>
#include <new>

#include "mem/raw.hpp"
#include "sched/join.hpp"

namespace weft::rt {

namespace {

struct note_of_tasks : end_listener {
  note_of_tasks(task* t, std::size_t n) noexcept : end_listener{heard_end}, what(t), count(n) {}

  static std::size_t bytes_for(std::size_t count) noexcept {
    return sizeof(note_of_tasks) + count * sizeof(task*);
  }
  task** list() noexcept { return reinterpret_cast<task**>(this + 1); }

  static void heard_end(end_listener& l) noexcept;

  task* const what;
  const std::size_t count;
  std::size_t next = 0;  // the first task that is not released yet
};

void release_next(note_of_tasks& n) noexcept {
  task* done = n.list()[n.next++];
  notes::acquire(done);
  notes::release(n.what);  // what follows its start follows the end of each
  release_task(self(), done);
}

// Listens to the first of the rest that is not done; if all are, the task starts. By whoever has the note.
void listen_on(note_of_tasks* n) noexcept {
  while (n->next < n->count) {
    if (listen_to_end(*n->list()[n->next], *n)) return;  // it may be another's by now
    release_next(*n);
  }
  task* t = n->what;
  raw_free(n, note_of_tasks::bytes_for(n->count));
  start_task(self(), t);
}

void note_of_tasks::heard_end(end_listener& l) noexcept {
  auto& me = static_cast<note_of_tasks&>(l);
  release_next(me);
  listen_on(&me);
}

}  // namespace

int spawn_after(worker* w, weft_fn_t fn, void* argument, void* site, const spawn_request& request,
                task* const* before, std::size_t count, task** out) noexcept {
  if (count > SIZE_MAX / sizeof(task*) / 2) return -ENOMEM;
  void* memory = raw_alloc(note_of_tasks::bytes_for(count));
  if (memory == nullptr) return -ENOMEM;
  task* t = make_task(w, fn, argument, site, request, out == nullptr);
  if (t == nullptr) {
    raw_free(memory, note_of_tasks::bytes_for(count));
    return -ENOMEM;
  }
  auto* n = new (memory) note_of_tasks(t, count);
  if (count != 0) std::memcpy(n->list(), before, count * sizeof(task*));
  if (out != nullptr) *out = t;  // before the task can run
  listen_on(n);
  return 0;
}

}  // namespace weft::rt
