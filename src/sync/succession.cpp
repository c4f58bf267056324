// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that start when others are done: a note of the others listens to the end of one of them at
// a time, for the task, releases it, and goes on to the next.
#include "sync/succession.hpp"

#include <cerrno>

#include "sched/join.hpp"
#include "sync/deferred.hpp"

namespace weft::rt {

namespace {

void heard_end(end_listener& l) noexcept;

struct listener_for_task : end_listener {
  listener_for_task() noexcept : end_listener{heard_end} {}
};
using note_of_tasks = deferred<listener_for_task, task*>;

void release_first(note_of_tasks& n) noexcept {
  task* done = n.first();
  n.pass();
  notes::acquire(done);
  notes::release(n.what());  // what follows its start follows the end of each
  release_task(self(), done);
}

// Listens to the first of the rest that is not done; if all are, the task starts. By whoever has
// the note.
void listen_on(note_of_tasks& n) noexcept {
  while (!n.over()) {
    if (listen_to_end(*n.first(), n)) return;  // it may be another's by now
    release_first(n);
  }
  start_task(self(), n.end());
}

void heard_end(end_listener& l) noexcept {
  auto& me = static_cast<note_of_tasks&>(l);
  release_first(me);
  listen_on(me);
}

}  // namespace

int spawn_after(worker* w, weft_fn_t fn, void* argument, void* site, const spawn_request& request,
                task* const* before, std::size_t count, task** out) noexcept {
  note_of_tasks* n = nullptr;
  const int failed = note_of_tasks::make(w, fn, argument, site, request, before, count, out, n);
  if (failed != 0) return failed;
  listen_on(*n);
  return 0;
}

}  // namespace weft::rt
