// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seldom ways to join: children that are not plain, that run elsewhere, joiners from outside.
//
// Orders
//   F1 -> F2   finish() publishes a result to a waiter outside
//   join_J1 -> join_J2   a stop tells a waiter outside that the task never ends
#include "sched/join.hpp"

#include <cerrno>
#include <mutex>
#include <sched.h>

#include "base/check.hpp"
#include "os/futex.hpp"
#include "sched/child.hpp"
#include "sched/ending.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/spawn.hpp"
#include "sched/switch.hpp"
#include "sched/switching.hpp"
#include "sched/waiting.hpp"
#include "sched/yield.hpp"

namespace weft::rt {

namespace {

bool stands_beneath(const task* t, const task* top) noexcept {
  for (const task* at = top; at != nullptr; at = at->beneath())
    if (at == t) return true;
  return false;
}

// What a task that is done has left.
void* value_of(task* t) noexcept {
  notes::acquire(t);
  return t->value.get();
}

void* reap(worker* w, task* t) noexcept {
  void* value = value_of(t);
  release_task(w, t);
  return value;
}

// Runs on the next stack: from here on the child's end may make the joiner ready.
void wait_for_child(worker& w, task* joiner, void* child) noexcept {
  const bool waits = static_cast<task*>(child)->join.wait_for(reinterpret_cast<uintptr_t>(joiner));
  if (!waits) requeue(w, joiner);
}

// A thread outside, or what runs on a worker but in no task: waits on a futex of its own. A stop
// waits until it has done with the descriptor.
class outside_join : public stay {
 public:
  outside_join() noexcept : stay(give_up) {}

  // Spawns the task under the lock: a stop finds it ready, or has begun before. -ENOTCONN: it has.
  int spawn(weft_fn_t fn, void* argument, void* site, place where) noexcept {
    const std::lock_guard held(ending_lock);
    if (!running()) return -ENOTCONN;
    int failed = look_up(self(), where);
    if (failed == 0) failed = spawn_with(self(), fn, argument, site, {.where = where}, &of_);
    if (failed == 0) enter_holding();
    return failed;
  }
  // False: Weft does not run.
  bool begin(task* t) noexcept {
    of_ = t;
    return enter();
  }
  // 0, or -ENOTCONN: a stop has abandoned the task.
  int finish(void** result, void* site, release_fn* release) noexcept {
    if (!of_->join.is_done() && !await(site)) return -ENOTCONN;
    void* value = value_of(of_);
    if (result != nullptr) *result = value;
    const std::lock_guard held(ending_lock);
    release(of_);
    leave_holding();
    return 0;
  }

 private:
  static constexpr uint32_t given_up = 2;

  uint64_t name() const noexcept { return reinterpret_cast<uintptr_t>(&here_) | outside_tag; }

  static void give_up(stay& s) noexcept {
    auto& me = static_cast<outside_join&>(s);
    if (!me.of_->join.withdraw(me.name())) return;  // it does not wait yet, or no more
    me.here_.done.store_release(given_up);          // join_J1 -> join_J2
    os::futex_wake(me.here_.done, 1);
  }

  bool await(void* site) noexcept {
    if (!of_->join.wait_for(name())) return true;
    const thread_waits shown("the end of task", of_, site);
    uint32_t told = 0;
    while ((told = here_.done.load_acquire()) == 0)  // F2 <- F1; join_J2 <- join_J1
      os::futex_wait(here_.done, 0);
    return told != given_up;
  }

  task* of_ = nullptr;
  outside_waiter here_;
};

constexpr const char* joined_before = "weft_task_join: this task was joined or detached before";

void release_joined(task* t) noexcept { release_task(self(), t); }

// An unstarted child in the private part of the caller's deque, plain or not: called if its stack
// promise can be kept. False: it is elsewhere, or that cannot be.
bool try_call(worker& w, task* child, void** result) noexcept {
  if (child->on.get() != nullptr || child->has(flag_in_deque | flag_pinned | flag_placed) ||
      arch::stack_pointer() < w.inline_floor.get())
    return false;
  const int64_t place =
      child->place();  // not before: the link of a pool's task may be the program's
  if (!w.deque.holds(child, place) || !take_child(w, place)) return false;
  if (!child->state.plain()) begin_special(w, *child);
  void* value = call_inline(w, child);
  if (result != nullptr) *result = value;
  return true;
}

// How long a joiner without other work watches a child that was sent to another worker: about what
// it takes there and back, and much less than to park, to look for work and to be woken.
constexpr uint32_t pauses_for_child = 64;

bool has_own_work(const worker& w) noexcept {
  return !w.mail.empty() || !w.woken.empty() || !w.offered.empty() || !w.yielded.empty() ||
         w.behind.get() != nullptr || w.deque.remaining_hint() > 0;
}

// True: the child is done.
bool watch_for_end(const worker& w, const task& child) noexcept {
  if (!child.has(flag_pinned) || child.state.home() == w.index || has_own_work(w) ||
      w.spin_ns.load_relaxed() == 0)  // hint: a wrong value costs time only
    return false;
  for (uint32_t i = 0; i < pauses_for_child && w.mail.empty(); ++i) {
    if (child.join.is_done()) return true;
    arch::pause();
  }
  return child.join.is_done();
}

// Who joins a row of children in their order, from the oldest on, follows the thief that takes them
// in the same order: to park at each and be woken by the other worker would cost both more than a
// short child. So the joiner lets the worker run a newer one first, which most often is enough, and
// so often at most. True: the child is done. w: the worker that the caller is on then.
constexpr int turns_for_child = 2;

bool give_way_until_done(worker*& w, const task& child) noexcept {
  for (int i = 0; i < turns_for_child; ++i) {
    // What would run before the newest: the joiner, beneath it, would have to wait for all of that.
    const bool others = !w->woken.empty() || !w->offered.empty() || !w->mail.empty();
    if (others || child.has(flag_pinned | flag_placed) || !w->deque.has_private() ||
        is_placed(w->on.get()->home.get()) || give_way_to_newest(*w) != 0)
      return false;
    w = self();
    if (child.join.is_done()) return true;
  }
  return false;
}

// By a thread outside, of a task that a stop may take away.
template <class Go>
int in_stay(Go go) noexcept {
  stay here;
  return here.enter() ? go() : -ENOTCONN;
}

int try_join_here(task* t, void** result) noexcept {
  WEFT_CHECK(t->fn.get() != nullptr, "weft_task_try_join: this task was joined or detached before");
  if (!t->join.is_done()) return -EBUSY;
  void* value = reap(self(), t);
  if (result != nullptr) *result = value;
  return 0;
}

int detach_here(task* t) noexcept {
  WEFT_CHECK(t->fn.get() != nullptr, "weft_task_detach: this task was joined or detached before");
  notes::release(t);
  if (!t->join.detach()) reap(self(), t);
  return 0;
}

}  // namespace

// The child is done, perhaps on another worker than the joiner's: what its end asks for.
void after_inline(task* child) noexcept {
  if (child->has(flag_forked)) end_child_process();
  task* joiner = child->beneath();
  self()->current.set(child);
  end_special(*child);
  worker& w = *self();
  w.current.set(joiner);
  const uint32_t home = w.on.get()->home.get();
  if (may_run_on(w, home)) return;
  // The child took the stack away from where the joiner must be. Until a stack can be had the
  // joiner cannot go home, and its code must not run here.
  while (park(
             w, nullptr, [](worker& here, task* me, void*) noexcept { requeue(here, me); },
             nullptr) != 0)
    sched_yield();
}

void* call_inline(worker& w, task* child) noexcept {
  task* me = w.current.get();
  void* argument = child->argument();
  child->value.set(me);  // beneath
  w.current.set(child);
  const saved_exceptions mine = saved_exceptions::take(*w.exceptions);
  notes::flow_note flow;
  make_flow(w, me->flow, flow, "weft task");
  child->flow = flow;
  flow.run();
  forget_below(*w.on.get());
  notes::acquire(child);
  void* value = child->fn.get()(argument);
  notes::release(child);
  me->flow.run();
  flow.destroy();
  notes::acquire(child);
  after_inline(child);
  mine.give(*self()->exceptions);
  return value;
}

int join_done(worker& w, task* t, void** result, void* site) noexcept {
  if (t->fn.get() == nullptr || !t->join.is_done() || !t->state.plain() || w.tasks.full())
      [[unlikely]]
    return join_slow(&w, t, result, site);
  notes::acquire(t);
  if (result != nullptr) *result = t->value.get();
  t->fn.set(nullptr);
  t->join.reset();
  w.tasks.keep(t);
  return 0;
}

int join_slow_end(task* child, void* value, void** result) noexcept {
  after_inline(child);
  release_task(self(), child);
  if (result != nullptr) *result = value;
  return 0;
}

int await_end(worker* w, task* t, void** result, void* site) noexcept {
  WEFT_CHECK(t->fn.get() != nullptr, joined_before);
  task* me = current_task(w);
  if (!t->join.is_done()) {
    if (me->has(flag_stackless)) return refuse_to_block("weft_task_join", *me);
    if (try_call(*w, t, result)) return 0;
    if (stands_beneath(t, me)) return -EDEADLK;
    if (!give_way_until_done(w, *t) && !watch_for_end(*w, *t)) {
      const task_waits shown(*w, *me, "the end of task", t, site);
      const int failed = park(*w, nullptr, wait_for_child, t);
      if (failed != 0) return failed;
    }
  }
  void* value = value_of(t);
  if (result != nullptr) *result = value;
  return 0;
}

int join_outside(task* t, void** result, void* site, release_fn* release) noexcept {
  outside_join here;
  if (!here.begin(t)) return -ENOTCONN;
  WEFT_CHECK(t->fn.get() != nullptr, joined_before);
  return here.finish(result, site, release);
}

int call_from_outside(weft_fn_t fn, void* argument, void* site, uint32_t shepherd,
                      void** result) noexcept {
  outside_join here;
  const int failed = here.spawn(fn, argument, site, {no_worker, shepherd});
  if (failed != 0) return failed;
  return here.finish(result, site, release_joined) == 0 ? 0 : -ESHUTDOWN;
}

int join_slow(worker* w, task* t, void** result, void* site) noexcept {
  if (t == nullptr) return -EINVAL;
  if (current_task(w) == nullptr) return join_outside(t, result, site, release_joined);
  const int failed = await_end(w, t, result, site);
  if (failed == 0) release_task(self(), t);
  return failed;
}

int try_join(task* t, void** result) noexcept {
  if (t == nullptr) return -EINVAL;
  if (self() == nullptr) return in_stay([&] { return try_join_here(t, result); });
  return try_join_here(t, result);
}

bool listen_to_end(task& t, end_listener& l) noexcept {
  WEFT_CHECK(t.fn.get() != nullptr, "weft_case_select: this task was joined or detached before");
  return t.join.wait_for(reinterpret_cast<uintptr_t>(&l) | listener_tag);
}

bool stop_listening(task& t, end_listener& l) noexcept {
  return t.join.withdraw(reinterpret_cast<uintptr_t>(&l) | listener_tag);
}

int detach(task* t) noexcept {
  if (t == nullptr) return -EINVAL;
  if (self() == nullptr) return in_stay([&] { return detach_here(t); });
  return detach_here(t);
}

}  // namespace weft::rt
