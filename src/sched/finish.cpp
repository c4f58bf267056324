// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The start of a task that is not plain, the end of every task, and the way of descriptors back.
#include "sched/finish.hpp"

#include "arch/fp_control.hpp"
#include "os/futex.hpp"
#include "sched/extra.hpp"
#include "sched/ready.hpp"
#include "sched/self.hpp"

namespace weft::rt {

uint32_t residency(const task* top) noexcept {
  for (const task* t = top; t != nullptr; t = t->beneath())
    if (t->has(flag_sticky) && t->home.get() != no_home) return t->home.get();
  return no_worker;
}

void begin_special(worker& w, task& t) noexcept {
  if (t.has(flag_sticky)) {
    t.home.set(static_cast<uint16_t>(w.index));
    w.on.get()->home.set(w.index);
  }
  if (t.has(flag_stackless)) w.inline_floor.set(reinterpret_cast<std::byte*>(UINTPTR_MAX));
}

void end_special(worker& w, task& t) noexcept {
  if (t.extra.load_acquire() != nullptr) end_extra(t);  // E2 <- E1
  if (t.has(flag_save_fp)) arch::write_fp_control(w.fp_default);
  w.on.get()->home.set(residency(t.beneath()));
  w.inline_floor.set(w.on.get()->inline_floor);
}

void finish(worker& w, task* t, void* result) noexcept {
  if (t->flags.get() != 0 || t->extra.load_relaxed() != nullptr)  // hint: E2 loads it again
      [[unlikely]]
    end_special(w, *t);
  t->value.set(result);
  w.current.set(nullptr);
  const uint64_t before = t->join.finish();  // last use of *t, unless it is detached
  if (before == join_word::running) return;
  if (before == join_word::detached) {
    release_task(&w, t);
    return;
  }
  if ((before & outside_tag) != 0) {
    auto* waiter = reinterpret_cast<outside_waiter*>(before & ~outside_tag);
    // The waiter may return as soon as it sees the store; only its address is used after that, and a
    // futex wake of an address that is something else by then wakes nobody wrongly for good.
    waiter->done.store_release(1);  // F1 -> F2
    os::futex_wake(waiter->done, 1);
    return;
  }
  make_ready(&w, reinterpret_cast<task*>(before));
}

void release_task(worker* w, task* t) noexcept {
  if (t->extra.load_acquire() != nullptr) release_extra(*t);  // E2 <- E1
  t->fn.set(nullptr);
  t->flags.set(default_task_flags);
  t->home.set(no_home);
  t->permit.store_relaxed(0);  // init: nobody else has it
  t->join.reset();
  if (w != nullptr) {
    w->tasks.put(t);
  } else {
    the().task_pool.put_shared(t);
  }
}

}  // namespace weft::rt
