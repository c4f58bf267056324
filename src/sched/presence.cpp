// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Removing and adding workers, one or a shepherd's all together.
//
// worker::held_by says whose the worker is until it is decided whether it goes: a removal's, or its
// own, where a guest leaves it. A removal touches only what it holds. Where it waits, it listens at
// one of those that it holds and to which tasks are bound; who takes that worker from it tells it
// to look again.
//
// Orders
//   bound_L1 <> bound_L2   who unbinds the last task: counts, asks who listens; who listens: says
//                          so, asks for the count
//   bound_L3 <> bound_L3   of who tells and who gives up one takes the listener, and only the one
//                          that it knows: when that was taken, another may be there already
#include "sched/presence.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <span>

#include "base/check.hpp"
#include "os/futex.hpp"
#include "sched/attention.hpp"
#include "sched/drain.hpp"
#include "sched/ending.hpp"
#include "sched/pick.hpp"
#include "sched/ready.hpp"
#include "sched/serving.hpp"
#include "sched/takers.hpp"
#include "sched/timer.hpp"
#include "sched/worker_thread.hpp"

namespace weft::rt {

namespace {

// Under the lock, as all that follows.
constinit uint32_t this_run = 0;  // so many have ended

using workers = std::span<worker>;

int find(chosen_workers who, workers& out) noexcept {
  if (!running()) return -ENOTCONN;
  if (who.number >= (who.all_of_it ? the().shepherd_count : the().count)) return -ERANGE;
  if (who.all_of_it) {
    const shepherd& s = the().shepherds[who.number];
    out = {the().workers + s.first, s.count};
  } else {
    out = {the().workers + who.number, 1};
  }
  return 0;
}

// Those of a removal that has begun. -ENOTCONN: they are no more, even if Weft runs again.
int find(const removal& r, workers& out) noexcept {
  return r.run == this_run ? find(r.who, out) : -ENOTCONN;
}

bool another_is_meant_than(workers all) noexcept {
  return another_is_meant(all.front().index, static_cast<uint32_t>(all.size()));
}

void set_presence(worker& w, worker_presence to) noexcept {
  w.presence.store_seq_cst(static_cast<uint32_t>(to));  // bound_B2 <> bound_B1
}

bool is_bound(const worker& w) noexcept {
  return w.bound.any();  // bound_B2 <> bound_B1, bound_L2 <> bound_L1
}

// True: the listener is the caller's.
bool take_listener(worker& w, removal* r) noexcept {
  return w.freed.cas_seq_cst(r, nullptr);  // bound_L3 <> bound_L3
}

void tell_listener(worker& w) noexcept {
  removal* const r = w.freed.load_seq_cst();              // bound_L3 <> bound_L3
  if (r != nullptr && take_listener(w, r)) r->heard(*r);  // last use of *r
}

// 0, or why they cannot be removed, whatever is bound to them.
int refuses_to_go(workers all) noexcept {
  for (const worker& w : all)
    if (w.adopted.get()) return -EPERM;  // a thread of the program's, which ends that itself
  for (const worker& w : all)
    if (w.held_by != nullptr) return -EALREADY;
  return another_is_meant_than(all) ? 0 : -EBUSY;
}

void hold(workers all, const void* by) noexcept {
  changes c;
  for (worker& w : all) {
    if (presence_of(w) != worker_presence::present) continue;
    w.held_by = by;
    w.meant_before = is_meant(w);
    c.set_meant(w, false);
  }
  c.carry_out();
}

// Those that are held by it are held no more; what(c, w) for each of them.
template <class What>
void end_hold(workers all, const void* by, What&& what) noexcept {
  changes c;
  for (worker& w : all) {
    if (w.held_by != by) continue;
    w.held_by = nullptr;
    what(c, w);
  }
  c.carry_out();
}

// They stay.
void unhold(workers all, const void* by) noexcept {
  end_hold(all, by, [](changes& c, worker& w) { c.set_meant(w, w.meant_before); });
}

void let_go(workers all, const void* by) noexcept {
  end_hold(all, by, [](changes& c, worker& w) {
    set_presence(w, worker_presence::leaving);
    c.tell(w);
  });
}

// 0: they go. -EAGAIN: r hears when one of them is free of tasks, or is not held any more.
int go_or_listen(workers all, removal& r) noexcept {
  for (worker& w : all) {
    if (w.held_by != &r || !is_bound(w)) continue;
    w.freed.store_seq_cst(&r);  // bound_L2 <> bound_L1
    if (is_bound(w) || !take_listener(w, &r)) return -EAGAIN;
  }
  let_go(all, &r);
  return 0;
}

// By w. False: a task is bound to it. In its mail there may be an order or the bell, which it finds
// when it is there again.
bool go(worker& w) noexcept {
  WEFT_ASSERT(!is_meant(w));
  const worker_presence before = presence_of(w);
  for (;;) {
    set_presence(w, worker_presence::gone);
    if (!is_bound(w)) break;
    set_presence(w, before);
    // Or who withdrew what was bound took w for gone, and will not call it.
    if (is_bound(w)) return false;
  }
  (void)the().gone.add_relaxed(1);  // hint: they do so once more, and again
  if (w.timers.next() != timer_queue::never) show_timers(w);
  (void)the().uncounted.add_relaxed(1);  // count: as become_idle
  fence_seq_cst();                       // W5 <> W1: all others may be idle already
  tell_drained();
  return true;
}

// A worker that is gone.
int begin_again(worker& w, thread_start* start) noexcept {
  w.thread.join();
  while (w.carried.load_acquire() != 0) os::futex_wait(w.carried, 1);  // carrier_C4 <- carrier_C3
  w.rises.raise();                                // nobody else writes there, for it has no thread
  (void)the().uncounted.add_relaxed(UINT32_MAX);  // count: as leave_idle
  fence_seq_cst();                                // bell_Q2 <> bell_Q1: as leave_idle
  const int failed = start(w);
  if (failed != 0) {
    (void)the().uncounted.add_relaxed(1);  // count: as become_idle
  } else {
    (void)the().gone.add_relaxed(UINT32_MAX);  // hint: as in go()
  }
  return failed;
}

// Or none. Who has a thread again stays gone for others until all have theirs.
int begin_again(workers all, thread_start* start) noexcept {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (presence_of(all[i]) != worker_presence::gone) continue;
    const int failed = begin_again(all[i], start);
    if (failed == 0) continue;
    changes c;
    for (worker& w : all.first(i)) {
      if (presence_of(w) != worker_presence::gone) continue;
      set_presence(w, worker_presence::leaving);
      c.tell(w);
    }
    c.carry_out();
    return failed;
  }
  return 0;
}

int add(workers all, thread_start* start) noexcept {
  if (const int failed = begin_again(all, start); failed != 0) return failed;
  changes c;
  for (worker& w : all) {
    w.held_by = nullptr;
    set_presence(w, worker_presence::present);
    c.set_meant(w, true);
  }
  c.carry_out();
  for (worker& w : all) tell_listener(w);
  return 0;
}

bool is_found(uint32_t processor) noexcept {
  const raw_array<uint32_t>& all = the().map.all;
  return !the().map.described && std::find(all.begin(), all.end(), processor) != all.end();
}

}  // namespace

bool stays_gone(const worker& w) noexcept {
  const std::lock_guard lock(presence_lock);
  return presence_of(w) == worker_presence::gone;
}

bool try_bind_to(worker& w, const worker* by) noexcept {
  bind_to(w, by);
  if (!is_gone(w)) return true;
  withdraw_from(w);
  return false;
}

bool try_bind_to_enabled(worker& w) noexcept {
  const std::lock_guard lock(presence_lock);  // under which a removal asks who is bound
  if (!takes_free_tasks(w)) return false;
  bind_to(w, &w);
  return true;
}

void unbind_from(worker& w) noexcept {
  w.bound.end();                              // bound_L1 <> bound_L2
  removal* const r = w.freed.load_seq_cst();  // bound_L1 <> bound_L2
  if (r == nullptr || is_bound(w)) return;    // of those that end now the last one sees none
  if (take_listener(w, r)) r->heard(*r);      // last use of *r
}

void withdraw_from(worker& w) noexcept {
  unbind_from(w);
  if (presence_of(w) == worker_presence::leaving) give_order(w);  // bound_B1 <> bound_B2
}

int enable_workers(chosen_workers who, bool enabled) noexcept {
  const std::lock_guard lock(presence_lock);
  workers all;
  if (const int failed = find(who, all); failed != 0) return failed;
  if (!enabled && !another_is_meant_than(all)) return -EBUSY;
  changes c;
  for (worker& w : all) {
    if (w.held_by == nullptr && presence_of(w) == worker_presence::present) {
      c.set_meant(w, enabled);
    } else {
      w.meant_before = enabled;
    }
  }
  c.carry_out();
  return 0;
}

int remove_workers(chosen_workers who) noexcept {
  const std::lock_guard lock(presence_lock);
  workers all;
  if (const int failed = find(who, all); failed != 0) return failed;
  if (const int refused = refuses_to_go(all); refused != 0) return refused;
  if (std::any_of(all.begin(), all.end(), [](const worker& w) {
        return presence_of(w) == worker_presence::present && is_bound(w);
      }))
    return -EAGAIN;
  hold(all, &all);
  let_go(all, &all);
  return 0;
}

int pursue_removal(removal& r) noexcept {
  const std::lock_guard lock(presence_lock);
  if (!r.begun) r.run = this_run;
  workers all;
  if (const int failed = find(r, all); failed != 0) return failed;
  if (!r.begun) {
    if (const int refused = refuses_to_go(all); refused != 0) return refused;
    hold(all, &r);
    r.begun = true;
  }
  return go_or_listen(all, r);
}

int give_up_removal(removal& r, bool& will_hear) noexcept {
  const std::lock_guard lock(presence_lock);
  will_hear = true;
  workers all;
  if (const int failed = find(r, all); failed != 0) return failed;  // who stopped has told it
  for (worker& w : all)
    if (take_listener(w, &r)) will_hear = false;
  if (std::any_of(all.begin(), all.end(),
                  [&](const worker& w) { return w.held_by == &r && is_bound(w); })) {
    unhold(all, &r);
    return -EAGAIN;
  }
  let_go(all, &r);
  return 0;
}

bool try_to_go(worker& w) noexcept {
  if (presence_of(w) != worker_presence::leaving || is_bound(w) || has_letters(w)) return false;
  const std::lock_guard lock(presence_lock);
  if (w.given.load_relaxed() != nullptr) return false;  // via: the lock; the order comes, if late
  return presence_of(w) == worker_presence::leaving && go(w);
}

int leave_worker(worker& w) noexcept {
  const workers alone{&w, 1};
  for (;;) {
    {
      const std::lock_guard lock(presence_lock);
      if (is_bound(w) || !another_is_meant_than(alone)) return -EBUSY;
      hold(alone, &w);
    }
    keep_mail(w);  // an order in it may want the lock
    evacuate(w);
    std::unique_lock lock(presence_lock);
    while (w.given.load_relaxed() != nullptr) {  // via: the lock
      lock.unlock();
      change_scheduler(w);
      lock.lock();
    }
    if (w.held_by != &w) continue;  // somebody has added it
    if (!go(w)) {
      unhold(alone, &w);
      return -EBUSY;
    }
    w.held_by = nullptr;
    release_flow(w);  // while the lock is closed: then others may have the worker
    detach_caches(w);
    return 0;
  }
}

int add_workers(chosen_workers who, thread_start* start) noexcept {
  const std::lock_guard lock(presence_lock);
  workers all;
  const int failed = find(who, all);
  return failed != 0 ? failed : add(all, start);
}

int take_up_worker(uint32_t number, thread_start* start) noexcept {
  const std::lock_guard lock(presence_lock);
  workers alone;
  if (const int failed = find({number, false}, alone); failed != 0) return failed;
  return presence_of(alone.front()) == worker_presence::gone ? add(alone, start) : -EBUSY;
}

int rebind_workers(chosen_workers who, const uint32_t* processors, std::size_t count) noexcept {
  const std::lock_guard lock(presence_lock);
  workers all;
  if (const int failed = find(who, all); failed != 0) return failed;
  if (!std::all_of(processors, processors + count, is_found)) return -ERANGE;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const uint32_t to = count == 0 ? any_processor : processors[i % count];
    all[i].rebound_to.store_release(to);  // order_R1 -> order_R2
    give_order(all[i]);
  }
  return 0;
}

bool end_running(bool (*hinders)() noexcept) noexcept {
  const std::lock_guard lock(presence_lock);
  {
    const std::lock_guard decided(ending_lock);
    if (hinders()) return false;
    set_running(false);
  }
  ++this_run;
  // No task ends any more, for which threads outside might wait.
  for (worker& w : workers{the().workers, the().count}) {
    const removal* const r = w.freed.load_seq_cst();  // bound_L3 <> bound_L3
    if (r != nullptr && r->outside) tell_listener(w);
  }
  return true;
}

}  // namespace weft::rt
