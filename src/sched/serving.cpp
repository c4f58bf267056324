// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedulers of the program's own on workers: given, run in each other, asked, left.
//
// Orders
//   serve_G1 -> serve_G2   a scheduler is given to a worker that takes it up
//   serve_M1 -> serve_M2   a scheduler is published to who reads it
//   serve_F1 -> serve_F2   what preceded weft_scheduler_finish is seen by who leaves
#include "sched/serving.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <new>

#include "mem/raw.hpp"
#include "sched/attention.hpp"
#include "sched/home.hpp"
#include "sched/pick.hpp"
#include "sched/pool.hpp"
#include "sched/presence.hpp"
#include "sched/ready.hpp"
#include "sched/refuse.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"
#include "sched/takers.hpp"
#include "sched/waiting.hpp"

namespace weft::rt {

namespace {

constinit std::mutex changing;
constinit user_scheduler* all = nullptr;

// What a worker is given when it shall have none.
constinit user_scheduler none;

// Calls what(pool) for each of a scheduler's.
template <class What>
void each_of(user_scheduler& s, What&& what) noexcept {
  (void)s.finished.load_acquire();  // serve_M2 <- serve_M1
  for (std::size_t i = 0; i < s.pool_count; ++i) what(*s.pools[i]);
}

user_scheduler& scheduler_of(const serving& s) noexcept {
  user_scheduler& by = *s.by.get();
  (void)by.finished.load_acquire();  // serve_M2 <- serve_M1
  return by;
}

// What a worker asks after a scheduler.
serving* next_asked(const serving* s) noexcept {
  return scheduler_of(*s).alone ? nullptr : s->below.get();
}

template <class What>
void each_asked_pool(const worker& w, What&& what) noexcept {
  for (const serving* at = w.schedulers.get(); at != nullptr; at = next_asked(at))
    each_of(*at->by.get(), what);
}

// Under the lock. True: the caller destroys it, without the lock.
[[nodiscard]] bool let_go(user_scheduler& s) noexcept {
  if (--s.holders != 0) return false;
  user_scheduler** at = &all;
  while (*at != &s) at = &(*at)->next;
  *at = s.next;
  each_of(s, [](pool& p) { p.loses_scheduler(); });  // last use of each
  return true;
}

void destroy(user_scheduler* s) noexcept {
  notes::forget(s, s + 1);  // tasks of one worker have read it, in turn
  if (s->released != nullptr) s->released(s->state);
  s->~user_scheduler();
  raw_free(s, sizeof(user_scheduler));
}

// Under the lock: the worker is to be the consumer of its pools. False: one of them has another,
// and nothing is changed.
bool claim_pools(user_scheduler& s, uint32_t worker) noexcept {
  for (std::size_t i = 0; i < s.pool_count; ++i) {
    if (s.pools[i]->claim(worker)) continue;
    while (i-- > 0) s.pools[i]->let_go();
    return false;
  }
  ++s.holders;
  return true;
}

bool asks(const worker& w, const pool& about) noexcept {
  bool found = false;
  each_asked_pool(w, [&](const pool& p) { found |= &p == &about; });
  return found;
}

// Under the lock, by the worker, whose chain has changed: its pools know which of them it asks.
// What it may have been called for, and will not ask for now, is for others.
void say_asked(worker& w) noexcept {
  for (const serving* at = w.schedulers.get(); at != nullptr; at = at->below.get())
    each_of(*at->by.get(), [&](pool& p) {
      const bool to = asks(w, p);
      p.servers().set_asks(w.index, to);
      if (!to && p.holds_some()) p.servers().notify();
    });
}

// By the worker: it has taken s out of its chain, or was to have it and will not. s, if nobody has
// it any more: the caller destroys it, without a lock; or null.
[[nodiscard]] user_scheduler* take_out(worker& w, user_scheduler& s) noexcept {
  const std::lock_guard lock(changing);
  each_of(s, [&](pool& p) {
    if (!serves(w, p.number())) {
      p.servers().remove(w.index);
      p.end_to_own(w.index);
      if (p.holds_some()) p.servers().notify();  // as in say_asked()
    }
    p.let_go();
  });
  say_asked(w);
  return let_go(s) ? &s : nullptr;
}

void drop(worker& w, user_scheduler& s) noexcept {
  if (user_scheduler* unused = take_out(w, s)) destroy(unused);
}

// By the worker: s is in its chain.
void enter_pools(worker& w, user_scheduler& s) noexcept {
  const std::lock_guard lock(changing);
  each_of(s, [&](pool& p) {
    p.begin_to_own(w.index);
    p.servers().add(w.index);
  });
  say_asked(w);
}

// What follows from the worker's chain.
void reconsider(worker& w) noexcept {
  bool alone = false;
  for (const serving* at = w.schedulers.get(); at != nullptr; at = at->below.get())
    alone |= scheduler_of(*at).alone;
  w.alone.set(alone);
  w.attentive.set(w.disabled.get() || w.schedulers.get() != nullptr);
}

// By the worker, or under presence_lock for one that is gone: the lowest of its chain is from now
// on what it was given. What was that before, for the caller to destroy as after take_out().
[[nodiscard]] user_scheduler* take_up(worker& w) noexcept {
  user_scheduler* const now = w.given.exchange_acquire(nullptr);  // serve_G2 <- serve_G1
  if (now == nullptr) return nullptr;
  // The base, if there is one, is the lowest of the chain.
  owned<serving*>* link = &w.schedulers;
  while (link->get() != nullptr && link->get() != &w.base) link = &link->get()->below;
  user_scheduler* before = link->get() != nullptr ? w.base.by.get() : nullptr;
  w.base.by.set(now);
  link->set(now != &none ? &w.base : nullptr);
  if (now != &none) enter_pools(w, *now);
  return before != nullptr ? take_out(w, *before) : nullptr;
}

// The uppermost of the worker's chain was finished.
void leave_uppermost(worker& w) noexcept {
  serving* top = w.schedulers.get();
  user_scheduler& s = *top->by.get();
  task* runner = top->runner.get();
  w.schedulers.set(top->below.get());
  reconsider(w);
  drop(w, s);
  unbind_from(w);
  make_ready(&w, runner);  // last use of *top, which lies on its stack
}

bool is_finished(const serving& s) noexcept {
  if (s.runner.get() == nullptr) return false;
  const uint32_t now =
      s.by.get()->finished.load_acquire();  // serve_F2 <- serve_F1, serve_M2 <- serve_M1
  return now != s.finished_at.get();
}

task* ask(worker& w, user_scheduler& s) noexcept {
  if (s.pick == nullptr) {
    for (std::size_t i = 0; i < s.pool_count; ++i)
      if (task* t = s.pools[i]->take(w)) return t;
    return nullptr;
  }
  w.picking.set(true);
  notes::acquire(&w.picking);  // picks of one worker take turns
  auto* t = reinterpret_cast<task*>(s.pick(reinterpret_cast<weft_scheduler_t>(&s), s.state));
  notes::release(&w.picking);
  w.picking.set(false);
  return t;
}

// All of them, in turn.
WEFT_NOINLINE task* ask_all(worker& w) noexcept {
  leave_finished(w);
  for (serving* at = w.schedulers.get(); at != nullptr; at = next_asked(at))
    if (task* t = ask(w, scheduler_of(*at))) return t;
  return nullptr;
}

// By a worker whose chain may have grown. Where it is away for want of a processor, it comes back:
// tasks may wait for it alone. If others find now that it shall be away, an order follows.
void stay_to_serve(const worker& w) noexcept {
  if (w.schedulers.get() == nullptr) return;
  if ((w.wanted.load_relaxed() & wanted_away) == 0) return;  // hint: as said
  const std::lock_guard lock(presence_lock);
  changes{}.carry_out();
}

// Runs on the next stack. The caller has bound itself.
void begin_serving(worker& w, task*, void* argument) noexcept {
  auto* me = static_cast<serving*>(argument);
  me->below.set(w.schedulers.get());
  w.schedulers.set(me);
  reconsider(w);
  enter_pools(w, *me->by.get());
  stay_to_serve(w);
  keep_mail(w);
}

// Whether others take what has that home, as far as is known, while w does not.
bool may_go_on_elsewhere(uint32_t home) noexcept {
  return is_pool(home) ? pool_at(pool_in(home)).is_served() : !is_worker(home);
}

// Binds the caller to its worker. A disabled one takes nothing from the pools, and the caller would
// wait for those, and a removal for the caller: so who may goes on elsewhere first. w: the worker
// that the caller is on then.
int settle_to_serve(worker*& w) noexcept {
  while (!try_bind_to_enabled(*w)) {
    if (!may_go_on_elsewhere(w->on.get()->home.get())) {
      bind_to(*w, w);
      return 0;
    }
    const int failed =
        park(*w, nullptr, [](worker& here, task* t, void*) noexcept { requeue(here, t); }, nullptr);
    if (failed != 0) return failed;
    w = self();
  }
  return 0;
}

}  // namespace

void leave_finished(worker& w) noexcept {
  while (w.schedulers.get() != nullptr && is_finished(*w.schedulers.get())) leave_uppermost(w);
}

int make_scheduler(const scheduler_plan& plan, user_scheduler** out) noexcept {
  void* memory = raw_alloc(sizeof(user_scheduler));
  if (memory == nullptr) return -ENOMEM;
  auto* s = new (memory) user_scheduler;
  const std::lock_guard lock(changing);
  for (std::size_t i = 0; i < plan.pool_count; ++i) {
    pool* p = find_pool(plan.pools[i]);
    if (p == nullptr || std::find(s->pools, s->pools + i, p) != s->pools + i) {
      raw_free(s, sizeof(user_scheduler));
      return -EINVAL;
    }
    s->pools[i] = p;
  }
  s->pool_count = plan.pool_count;
  s->pick = plan.pick;
  s->released = plan.released;
  s->state = plan.state;
  s->alone = plan.alone;
  s->next = all;
  s->finished.store_release(0);  // serve_M1 -> serve_M2
  each_of(*s, [](pool& p) { p.gains_scheduler(); });
  all = s;
  *out = s;
  return 0;
}

void free_scheduler(user_scheduler* s) noexcept {
  bool gone = false;
  {
    const std::lock_guard lock(changing);
    gone = let_go(*s);
  }
  if (gone) destroy(s);
}

int set_scheduler(worker& w, user_scheduler* s) noexcept {
  user_scheduler* replaced = nullptr;
  user_scheduler* before = nullptr;
  {
    const std::lock_guard stays(presence_lock);
    {
      const std::lock_guard lock(changing);
      if (s != nullptr && !claim_pools(*s, w.index)) return -EBUSY;
      // serve_G1 -> serve_G2: what it replaces was given under the lock
      replaced = w.given.exchange_release(s != nullptr ? s : &none);
      if (replaced == &none) replaced = nullptr;
      if (replaced != nullptr) {  // given before, and not taken up yet
        each_of(*replaced, [](pool& p) { p.let_go(); });
        if (!let_go(*replaced)) replaced = nullptr;
      }
    }
    if (presence_of(w) == worker_presence::gone) {  // it may be long until it follows an order
      before = take_up(w);
      reconsider(w);
    } else {
      give_order(w);
    }
  }
  if (replaced != nullptr) destroy(replaced);
  if (before != nullptr) destroy(before);
  return 0;
}

void change_scheduler(worker& w) noexcept {
  user_scheduler* const before = take_up(w);
  reconsider(w);
  stay_to_serve(w);
  if (before != nullptr) destroy(before);
}

int run_scheduler(user_scheduler& s, void* site) noexcept {
  worker* w = self();
  task* me = current_task(w);
  if (me == nullptr) return -EPERM;
  if (me->has(flag_stackless)) return refuse_to_block("weft_scheduler_run", *me);
  int failed = settle_to_serve(w);
  if (failed != 0) return failed;
  bool claimed = false;
  {
    const std::lock_guard lock(changing);
    claimed = claim_pools(s, w->index);
  }
  if (!claimed) {
    withdraw_from(*w);
    return -EBUSY;
  }
  serving here{owned(&s), {}, owned(me), owned(s.finished.load_acquire())};  // serve_F2 <- serve_F1
  notes::forget(&here, &here + 1);  // for the loops that use it now
  {
    const task_waits shown(*w, *me, "weft_scheduler_finish", &s, site);
    failed = park(*w, nullptr, begin_serving, &here);
  }
  notes::forget(&here, &here + 1);  // and after them
  if (failed != 0) {
    drop(*w, s);
    withdraw_from(*w);
  }
  return failed;
}

void finish_scheduler(user_scheduler& s) noexcept {
  (void)s.finished.add_release(1);  // serve_F1 -> serve_F2
  for (uint32_t i = 0; i < the().count; ++i) give_order(the().workers[i]);
}

void forget_schedulers() noexcept {
  while (all != nullptr) {
    user_scheduler* s = all;
    all = s->next;
    destroy(s);
  }
}

void abandon_schedulers() noexcept {
  std::construct_at(&changing);  // perhaps somebody held it
  all = nullptr;
}

task* ask_schedulers(worker& w) noexcept {
  const serving* top = w.schedulers.get();
  if (top == nullptr) return nullptr;
  if (!is_finished(*top)) [[likely]] {
    const user_scheduler& s = scheduler_of(*top);
    if (s.pick == nullptr) {
      if (task* t = s.pools[0]->take(w)) return t;
    }
  }
  return ask_all(w);
}

bool serves_work(const worker& w) noexcept {
  bool some = false;
  each_asked_pool(w, [&](const pool& p) { some = some || p.holds_for(w); });
  return some;
}

bool serves(const worker& w, uint32_t pool_number) noexcept {
  bool found = false;
  for (const serving* at = w.schedulers.get(); at != nullptr; at = at->below.get())
    each_of(*at->by.get(), [&](const pool& p) { found |= p.number() == pool_number; });
  return found;
}

void servers_idle(worker& w) noexcept {
  each_asked_pool(w, [](pool& p) { p.servers().idles(); });
}

void servers_rise(worker& w) noexcept {
  each_asked_pool(w, [](pool& p) { p.servers().rises(); });
}

void call_other_servers(worker& w) noexcept {
  each_asked_pool(w, [](pool& p) {
    if (p.holds_some()) p.servers().notify();
  });
}

void pass_on_what_is_left(worker& w) noexcept {
  each_asked_pool(w, [&](pool& p) {
    if (p.holds_for(w)) p.servers().notify_all();
  });
}

worker* picking_worker() noexcept {
  worker* w = self();
  return w != nullptr && w->picking.get() ? w : nullptr;
}

}  // namespace weft::rt
