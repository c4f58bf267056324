// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spawning: a descriptor from the cache, three stores, a push. No fence, no atomic
// read-modify-write.
#pragma once

#include <cerrno>
#include <cstddef>

#include "base/attributes.hpp"
#include "sched/finish.hpp"
#include "sched/ready.hpp"
#include "sched/residency.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

// Everything that is not the plain case; see weft_spawn_t.
struct spawn_request {
  uint32_t flags = 0;  // of task_flag
  bool work_first = false;
  place where;  // a worker: where it must start; a shepherd, a pool: where it must stay
  std::size_t copy_bytes = 0;
  const char* name = nullptr;
  const uint64_t* key = nullptr;  // for pools, key_words of them
  uint32_t key_words = 0;
};

// The same as spawn_plain, when a cache or a queue must grow, or nobody will join.
WEFT_COLD int spawn_slow(worker& w, weft_fn_t fn, void* argument, void* site, task** out) noexcept;

// A task that no queue holds becomes the newest of the worker's deque, which has room.
WEFT_ALWAYS_INLINE void push_fresh(worker& w, task* t, weft_fn_t fn, void* argument,
                                   void* site) noexcept {
  t->fn.set(fn);
  t->value.set(argument);
  t->site.set(site);
  notes::release(t);
  const int64_t place = w.deque.end();
  t->set_place(place);
  w.deque.push_into_room(t, place);
  share_with_idle(w, 0);
}

// From a worker. out null: detached. Every question comes before the first store, so that the path
// without a surprise keeps nothing for the others.
WEFT_ALWAYS_INLINE int spawn_plain(worker& w, weft_fn_t fn, void* argument, void* site,
                                   task** out) noexcept {
  if (w.tasks.empty() || w.deque.full() || out == nullptr) [[unlikely]]
    return spawn_slow(w, fn, argument, site, out);
  task* t = w.tasks.take();
  *out = t;
  push_fresh(w, t, fn, argument, site);
  return 0;
}

// From any thread (w null: no worker), any request. 0, -ENOMEM, -ERANGE (the worker has gone).
int spawn_with(worker* w, weft_fn_t fn, void* argument, void* site, const spawn_request& request,
               task** out) noexcept;

// The same in two steps, for a task that has to wait for its start: it costs its descriptor only.
// Any thread makes it (0 or as spawn_with; work_first says nothing), any thread starts it, which
// cannot fail.
[[nodiscard]] int make_task(worker* w, weft_fn_t fn, void* argument, void* site,
                            const spawn_request& request, bool detached, task*& out) noexcept;
void start_task(worker* w, task* t) noexcept;
// Instead of the start.
void unmake_task(worker* w, task* t) noexcept;

// Tasks of one function; the argument of task i is (char*)arguments + i * stride.
struct spawn_row {
  weft_fn_t fn;
  void* arguments;
  std::size_t stride;
  std::size_t count;
  void* site;
};

// All of them or none.
int spawn_many(worker* w, const spawn_row& row, task** out) noexcept;

}  // namespace weft::rt
