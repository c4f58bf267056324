// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joining: a child that is unstarted at the end of the joiner's own deque is called, not switched
// to.
#pragma once

#include "arch/cpu.hpp"
#include "base/attributes.hpp"
#include "base/build.hpp"
#include "sched/finish.hpp"
#include "sched/ready.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace weft::rt {

// Takes an unstarted child out of the worker's own deque, which holds it at this place. False:
// thieves may have it. The place is read once, by the caller: whoever has taken the child uses the
// field as a link already.
WEFT_ALWAYS_INLINE bool take_child(worker& w, int64_t place) noexcept {
  const take_result taken = w.deque.take(place);
  if (taken == take_result::from_middle) share_with_idle(w, 0);  // see take()
  return taken != take_result::no;
}

// Runs the child as a call on the joiner's stack. It was taken from the deque by the caller; the
// joiner holds its only handle, so nobody else can ask whether it is done, and no atomic is needed
// to say so. The child starts with clean exception globals: a join inside a catch does not show it
// the exception. noexcept, as all of these: an exception that leaves a C task terminates.
void* call_inline(worker& w, task* child) noexcept;

// After the call of a child on its joiner's stack, where it may have used what a plain task does
// not, or have moved to another worker: what its end asks for. The joiner goes home before its code
// runs.
void after_inline(task* child) noexcept;

// By a task: waits for the end of another, or calls it; its result is written, its descriptor still
// to be released. See weft_task_join for the errors; site: the caller of the API function.
int await_end(worker* w, task* t, void** result, void* site) noexcept;

// The same by who is no task, and release(t). -ENOTCONN: Weft does not run, or a stop abandons t.
using release_fn = void(task* t) noexcept;
WEFT_COLD int join_outside(task* t, void** result, void* site, release_fn* release) noexcept;

// By who is no task: has fn(argument) called by a task, on that shepherd or (no_worker) anywhere.
// 0; -ENOTCONN (Weft does not run), -ESHUTDOWN (a stop abandons that task), -ERANGE, -ENOMEM.
int call_from_outside(weft_fn_t fn, void* argument, void* site, uint32_t shepherd,
                      void** result) noexcept;

// Everything that is not the plain case; see weft_task_join. site: the caller of the API function.
WEFT_COLD int join_slow(worker* w, task* t, void** result, void* site) noexcept;

// The end of join_task when anything was out of the ordinary: the child changed worker, was named,
// became sticky, or the cache of descriptors is full. Brings a joiner that belongs elsewhere home
// before any code of the user runs.
WEFT_COLD int join_slow_end(task* child, void* value, void** result) noexcept;

// Joins a plain child that is done already; else as join_slow.
int join_done(worker& w, task* t, void** result, void* site) noexcept;

WEFT_ALWAYS_INLINE int join_task(task* t, void** result) noexcept {
  worker* w = self();
  if (build::tsan || w == nullptr || t == nullptr) [[unlikely]]
    return join_slow(w, t, result, WEFT_CALL_SITE);
  const int64_t place = t->place();
  if (!w->deque.holds(t, place)) return join_done(*w, t, result, WEFT_CALL_SITE);
  if (arch::stack_pointer() < w->inline_floor.get() || !t->state.plain() ||
      !w->exceptions->clean() || !take_child(*w, place)) [[unlikely]]
    return join_slow(w, t, result, WEFT_CALL_SITE);
  void* argument = t->argument();
  t->value.set(w->current.get());  // beneath
  w->current.set(t);
  void* value = t->fn.get()(argument);
  // Joins inside fn may have filled the cache, so only now is the time to ask.
  if (self() != w || !t->state.plain() || w->tasks.full()) [[unlikely]]
    return join_slow_end(t, value, result);
  w->current.set(t->beneath());
  t->fn.set(nullptr);
  w->tasks.keep(t);
  if (result != nullptr) *result = value;
  return 0;
}

int try_join(task* t, void** result) noexcept;
// True: l is heard at the end of t, unless stop_listening() comes first. False: t is done.
[[nodiscard]] bool listen_to_end(task& t, end_listener& l) noexcept;
// True: l is never heard. False: it has been or is about to be.
[[nodiscard]] bool stop_listening(task& t, end_listener& l) noexcept;
int detach(task* t) noexcept;

}  // namespace weft::rt
