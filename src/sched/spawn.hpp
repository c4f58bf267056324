// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spawning: a descriptor from the cache, three stores, a push. No fence, no atomic read-modify-write.
#pragma once

#include <cerrno>
#include <cstddef>

#include "base/attributes.hpp"
#include "sched/finish.hpp"
#include "sched/ready.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

// Everything that is not the plain case; see weft_spawn_t.
struct spawn_request {
  uint16_t flags = 0;           // of task_flag
  bool work_first = false;
  uint32_t worker = no_worker;  // where it must start
  std::size_t copy_bytes = 0;
  const char* name = nullptr;
};

// A fresh task goes to the end of the worker's own deque. -ENOMEM: the deque could not grow.
WEFT_ALWAYS_INLINE int submit(worker& w, task* t) noexcept {
  notes::release(t);
  if (!w.deque.push(t)) [[unlikely]] return -ENOMEM;
  fence_light();  // O1 <> O2
  if (!the().census.quiet()) [[unlikely]] publish(w, 0);
  return 0;
}

// From a worker. out null: detached.
WEFT_ALWAYS_INLINE int spawn_plain(worker& w, weft_fn_t fn, void* argument, void* site,
                                   task** out) noexcept {
  task* t = w.tasks.get();
  if (t == nullptr) [[unlikely]] return -ENOMEM;
  t->fn.set(fn);
  t->value.set(argument);
  t->site.set(site);
  if (out != nullptr) [[likely]] {
    *out = t;
  } else {
    t->join.start_detached();
  }
  const int failed = submit(w, t);
  if (failed != 0) [[unlikely]] release_task(&w, t);
  return failed;
}

// From any thread (w null: no worker), any request.
int spawn_with(worker* w, weft_fn_t fn, void* argument, void* site, const spawn_request& request,
               task** out) noexcept;

// count tasks or none; argument i is (char*)args + i * stride.
int spawn_many(worker* w, weft_fn_t fn, void* args, std::size_t stride, std::size_t count, void* site,
               task** out) noexcept;

}  // namespace weft::rt
