// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/task.h: arguments are checked here, the work is done below.
#include <cerrno>
#include <cstdint>

#include <weft/task.h>
#include <weft/word.h>

#include "api/handle.hpp"
#include "api/request.hpp"
#include "boot/boot.hpp"
#include "os/memory.hpp"
#include "sched/extra.hpp"
#include "sched/join.hpp"
#include "sched/outside.hpp"
#include "sched/residency.hpp"
#include "sched/self.hpp"
#include "sched/spawn.hpp"
#include "sched/suspend.hpp"
#include "sched/yield.hpp"
#include "sync/precondition.hpp"
#include "sync/succession.hpp"

namespace rt = weft::rt;

namespace {

rt::task* self_task() noexcept { return rt::current_task(rt::self()); }

// Null where there is no task to look at: outside a task, or a handle while nothing runs.
rt::task* given_or_self(weft_task_t task) noexcept {
  if (task == nullptr) return self_task();
  return rt::running() ? rt::from_handle(task) : nullptr;
}

// The stack of the caller's task, on a thread that visits it as well; null outside tasks.
const rt::stack* own_stack() noexcept {
  return rt::this_task() != nullptr ? rt::stack_of_this_thread() : nullptr;
}

// Starts Weft where a spawn is the first thing that needs it.
WEFT_COLD int spawn_first(weft_fn_t fn, void* arg, void* site, weft_task_t* out) noexcept {
  if (fn == nullptr) return -EINVAL;
  const int failed = rt::boot::ensure_started();
  if (failed != 0) return failed;
  return rt::spawn_with(rt::self(), fn, arg, site, {}, rt::from_handles(out));
}

// For a task that waits for its start. 0: the runtime runs, and can do what is asked.
int prepare_deferred(const weft_spawn_t* spawn, const void* arg, rt::spawn_request& out) noexcept {
  const int bad = rt::read_request(spawn, arg, out);
  if (bad != 0) return bad;
  if (out.work_first) return -EINVAL;
  const int failed = rt::boot::ensure_started();
  if (failed != 0) return failed;
  return rt::look_up(rt::self(), out.where);
}

}  // namespace

__attribute__((noinline)) int weft_task_spawn(weft_fn_t fn, void* arg, weft_task_t* out) {
  rt::worker* w = rt::self();
  if (w == nullptr || fn == nullptr) [[unlikely]]
    return spawn_first(fn, arg, WEFT_CALL_SITE, out);
  return rt::spawn_plain(*w, fn, arg, WEFT_CALL_SITE, rt::from_handles(out));
}

__attribute__((noinline)) int weft_task_spawn_with(weft_fn_t fn, void* arg,
                                                   const weft_spawn_t* spawn, weft_task_t* out) {
  if (fn == nullptr) return -EINVAL;
  rt::spawn_request request;
  const int bad = rt::read_request(spawn, arg, request);
  if (bad != 0) return bad;
  if (rt::self() == nullptr) [[unlikely]] {
    const int failed = rt::boot::ensure_started();
    if (failed != 0) return failed;
  }
  rt::worker* w = rt::self();
  const int failed = rt::look_up(w, request.where);
  if (failed != 0) return failed;
  return rt::spawn_with(w, fn, arg, WEFT_CALL_SITE, request, rt::from_handles(out));
}

__attribute__((noinline)) int weft_task_spawn_many(weft_fn_t fn, void* args, size_t stride,
                                                   size_t count, weft_task_t* out) {
  if (fn == nullptr) return -EINVAL;
  if (count == 0) return 0;
  const int failed = rt::boot::ensure_started();
  if (failed != 0) return failed;
  return rt::spawn_many(rt::self(), {fn, args, stride, count, WEFT_CALL_SITE},
                        rt::from_handles(out));
}

__attribute__((noinline)) int weft_task_spawn_when(weft_fn_t fn, void* arg,
                                                   const weft_spawn_t* spawn,
                                                   const uint64_t* const* words, size_t count,
                                                   weft_task_t* out) {
  if (fn == nullptr || (words == nullptr && count != 0)) return -EINVAL;
  for (size_t i = 0; i < count; ++i)
    if (words[i] == nullptr || reinterpret_cast<uintptr_t>(words[i]) % sizeof(uint64_t) != 0)
      return -EINVAL;
  rt::spawn_request request;
  const int failed = prepare_deferred(spawn, arg, request);
  if (failed != 0) return failed;
  return rt::spawn_when(rt::self(), fn, arg, WEFT_CALL_SITE, request, words, count,
                        rt::from_handles(out));
}

__attribute__((noinline)) int weft_task_spawn_after(weft_fn_t fn, void* arg,
                                                    const weft_spawn_t* spawn, weft_task_t* tasks,
                                                    size_t count, weft_task_t* out) {
  if (fn == nullptr || (tasks == nullptr && count != 0)) return -EINVAL;
  for (size_t i = 0; i < count; ++i)
    if (tasks[i] == nullptr) return -EINVAL;
  if (count != 0 && !rt::running()) return -ENOTCONN;
  rt::spawn_request request;
  int failed = prepare_deferred(spawn, arg, request);
  if (failed != 0) return failed;
  failed = rt::spawn_after(rt::self(), fn, arg, WEFT_CALL_SITE, request, rt::from_handles(tasks),
                           count, rt::from_handles(out));
  for (size_t i = 0; failed == 0 && i < count; ++i)
    if (&tasks[i] != out) tasks[i] = nullptr;
  return failed;
}

int weft_task_join(weft_task_t task, void** result) {
  return rt::join_task(rt::from_handle(task), result);
}

int weft_task_try_join(weft_task_t task, void** result) {
  return rt::try_join(rt::from_handle(task), result);
}

int weft_task_join_many(weft_task_t* tasks, size_t count, void** result) {
  for (size_t i = 0; i < count; ++i)
    if (tasks[i] == nullptr) return -EINVAL;
  // Newest first: these are the ones that can be called inline.
  for (size_t i = count; i-- > 0;) {
    const int failed =
        rt::join_task(rt::from_handle(tasks[i]), result != nullptr ? &result[i] : nullptr);
    if (failed != 0) return failed;
    tasks[i] = nullptr;
  }
  return 0;
}

int weft_task_detach(weft_task_t task) { return rt::detach(rt::from_handle(task)); }

int weft_task_yield(void) { return rt::yield(); }

int weft_task_yield_to(weft_task_t task) { return rt::yield_to(rt::from_handle(task)); }

int weft_task_suspend(void) { return rt::suspend(WEFT_CALL_SITE); }

int weft_task_resume(weft_task_t task) { return rt::resume_task(rt::from_handle(task)); }

int weft_task_set_sticky(int sticky) { return rt::set_sticky(sticky != 0); }

int weft_task_migrate(uint32_t worker) { return rt::migrate(rt::read_place(worker)); }

weft_task_t weft_task_self(void) { return rt::to_handle(self_task()); }

uint64_t weft_task_id(weft_task_t task) {
  rt::task* t = given_or_self(task);
  return t != nullptr ? rt::task_id(*t) : 0;
}

const char* weft_task_name(weft_task_t task) {
  const rt::task* t = given_or_self(task);
  return t != nullptr ? rt::task_name(*t) : nullptr;
}

void* weft_task_spawn_site(weft_task_t task) {
  const rt::task* t = given_or_self(task);
  return t != nullptr ? t->site.get() : nullptr;
}

size_t weft_task_stack_left(void) {
  const rt::stack* const s = own_stack();
  if (s == nullptr) return 0;
  const std::ptrdiff_t left = rt::arch::stack_pointer() - s->low;
  return left > 0 ? static_cast<size_t>(left) : 0;
}

int weft_task_stack_bounds(void** low, void** high) {
  if (weft_task_stack_left() == 0) return -EPERM;
  const rt::stack& s = *own_stack();
  const auto page = static_cast<std::uintptr_t>(rt::os::page_bytes());
  // The header of the runtime's own stacks stands in their last page.
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(s.high) + page - 1) / page * page;
  if (low != nullptr) *low = s.low;
  if (high != nullptr) *high = reinterpret_cast<void*>(end);
  return 0;
}

int weft_slot_create(void (*destroy)(void* value), weft_slot_t* out) {
  return out != nullptr ? rt::slot_create(destroy, out) : -EINVAL;
}

int weft_slot_delete(weft_slot_t slot) { return rt::slot_delete(slot); }

int weft_slot_set(weft_slot_t slot, void* value) {
  rt::task* t = rt::this_task();
  return t != nullptr ? rt::slot_set(*t, slot, value) : -EPERM;
}

void* weft_slot_get(weft_slot_t slot) {
  const rt::task* t = rt::this_task();
  return t != nullptr ? rt::slot_get(*t, slot) : nullptr;
}
