// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The start of a task that is not plain, the end of every task, and the way of descriptors back.
#include "sched/finish.hpp"

#include "arch/fp_control.hpp"
#include "os/futex.hpp"
#include "sched/child.hpp"
#include "sched/extra.hpp"
#include "sched/home.hpp"
#include "sched/presence.hpp"
#include "sched/ready.hpp"
#include "sched/residency.hpp"
#include "sched/self.hpp"

namespace weft::rt {

namespace {

// Whether it is a pool's and no more than that.
bool is_of_pool(const task& t) noexcept {
  return (t.state.flags() & ~flag_stackless) == (flag_placed | flag_pool);
}

}  // namespace

void begin_special(worker& w, task& t) noexcept {
  if (is_of_pool(t)) {
    w.on.get()->home.set(pool_home(t.state.home()));
    if (t.has(flag_stackless)) forbid_inline(w);
    return;
  }
  if (t.has(flag_sticky)) {
    if (!t.has(flag_pinned)) {
      t.state.drop(flag_placed | flag_pool);  // from now on it is this worker's
      bind_to(w, &w);
      t.state.set_home(w.index);
    }
    w.on.get()->home.set(w.index);
  } else if (t.has(flag_placed | flag_high | flag_low)) {
    w.on.get()->home.set(home_of_fresh(t.state));  // it is never called inline
  }
  if (t.has(flag_stackless | flag_save_fp)) forbid_inline(w);
}

void end_special(task& t) noexcept {
  if (t.extra.load_acquire() != nullptr) end_extra(t);  // E2 <- E1
  worker& w = *self();  // a destructor of the program's may have waited, though it must not
  if (t.has(flag_sticky) && t.state.home() != no_worker) unbind_from(the().workers[t.state.home()]);
  if (t.has(flag_save_fp)) arch::write_fp_control(w.fp_default);
  w.on.get()->home.set(residency(t.beneath()));
  w.inline_floor.set(w.on.get()->inline_floor);
}

void end_special_in_loop(task& t) noexcept {
  if (is_of_pool(t) && t.extra.load_acquire() == nullptr) {  // E2 <- E1
    worker& w = *self();
    stack& on = *w.on.get();
    on.home.set(no_worker);  // nothing is beneath it
    w.inline_floor.set(on.inline_floor);
    return;
  }
  if (t.has(flag_forked)) end_child_process();
  end_special(t);
}

void tell_waiter(worker& w, uint64_t waiter) noexcept {
  if ((waiter & listener_tag) != 0) {
    auto* listener = reinterpret_cast<end_listener*>(waiter & ~listener_tag);
    listener->heard(*listener);  // last use of *listener
    return;
  }
  if ((waiter & outside_tag) == 0) {
    make_ready(&w, reinterpret_cast<task*>(waiter));
    return;
  }
  auto* outside = reinterpret_cast<outside_waiter*>(waiter & ~outside_tag);
  // The waiter may return as soon as it sees the store; only its address is used after that, and a
  // futex wake of an address that is something else by then wakes nobody wrongly for good.
  outside->done.store_release(1);  // F1 -> F2
  os::futex_wake(outside->done, 1);
}

void release_task(worker* w, task* t) noexcept {
  if (t->extra.load_acquire() != nullptr) release_extra(*t);  // E2 <- E1
  t->fn.set(nullptr);
  t->state.reset();
  t->join.reset();
  if (w != nullptr) {
    w->tasks.put(t);
  } else {
    the().task_pool.put_shared(t);
  }
}

}  // namespace weft::rt
