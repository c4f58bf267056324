// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Disabling and enabling workers, and who takes over for a shepherd that has none left.
//
// Orders
//   heir_H1 <> heir_H2   who names an heir: names, full fence, moves what lies in the lists; who
//                        queues in a list: queues, full fence, asks for the heir (ready.cpp)
//   bound_L1 <> bound_L2   who unbinds the last task: counts, asks who listens; who listens: says
//                          so, asks for the count
//   bound_L3 <> bound_L3   of who tells and who gives up one takes the listener, and only the one
//                          that it knows: when that was taken, another may be there already
#include "sched/presence.hpp"

#include <cerrno>
#include <memory>
#include <mutex>

#include "os/futex.hpp"
#include "sched/attention.hpp"
#include "sched/drain.hpp"
#include "sched/finish.hpp"
#include "sched/near.hpp"
#include "sched/pick.hpp"
#include "sched/pool.hpp"
#include "sched/ready.hpp"
#include "sched/self.hpp"
#include "sched/timer.hpp"
#include "sched/worker_thread.hpp"

namespace weft::rt {

namespace {

constinit std::mutex changing;

bool has_enabled(const shepherd& s) noexcept {
  return any_worker_of(s, 0, [](const worker& v) { return takes_free_tasks(v); });
}

// Each shepherd's tasks are taken by itself, or by the nearest that has workers for them.
void name_heirs() noexcept {
  for (uint32_t i = 0; i < the().shepherd_count; ++i) {
    shepherd& s = the().shepherds[i];
    (void)any_shepherd_near(s, [&](shepherd& near) {
      if (!has_enabled(near)) return false;
      s.heir.store_relaxed(&near);  // heir_H1 <> heir_H2
      return true;
    });
  }
}

// Under the lock, as all that follows. Those that the program has not disabled are never all away.
bool is_meant(const worker& w) noexcept {
  return (w.wanted.load_relaxed() & wanted_disabled) == 0;  // via: the lock
}

bool another_is_meant(uint32_t first, uint32_t count) noexcept {
  for (uint32_t i = 0; i < the().count; ++i)
    if (i - first >= count && is_meant(the().workers[i])) return true;
  return false;
}

// Where fewer workers may take tasks than there are: the program's own thread, which runs anyway,
// goes first, then those whose processor is there.
uint32_t rank_of(const worker& w) noexcept {
  if (w.index == 0 && the().main_is_worker) return 0;
  return the().allowed.count() == 0 || the().allowed.has(the().map.processor[w.index]) ? 1 : 2;
}
constexpr uint32_t ranks = 3;

// Changes to workers, and who has to be told.
class changes {
 public:
  void set(worker& w, uint32_t wanted) noexcept {
    if (w.wanted.load_relaxed() == wanted) return;  // via: the lock
    w.wanted.store_relaxed(wanted);                 // order_D1 <> order_D2
    tell(w);
  }
  void tell(const worker& w) noexcept { told_[w.index / bits] |= uint64_t{1} << w.index % bits; }

  // So many workers as may take tasks do; and those for which tasks may wait in a pool.
  void share_out() noexcept {
    uint32_t left = the().takers;
    for (uint32_t rank = 0; rank < ranks; ++rank)
      for (uint32_t i = 0; i < the().count; ++i) {
        worker& w = the().workers[i];
        if (rank_of(w) != rank || !is_meant(w)) continue;
        set(w, left > 0 || serves_some_pool(i) ? 0u : wanted_away);
        left -= left > 0 ? 1 : 0;
      }
  }

  void carry_out() noexcept {
    share_out();
    if (!any()) return;
    name_heirs();
    fence_seq_cst();  // order_D1 <> order_D2, heir_H1 <> heir_H2
    for (uint32_t i = 0; i < the().count; ++i)
      if ((told_[i / bits] >> i % bits & 1) != 0) give_order(the().workers[i]);
    for (uint32_t i = 0; i < the().shepherd_count; ++i) hand_to_heir(self(), the().shepherds[i]);
  }

 private:
  bool any() const noexcept {
    for (const uint64_t word : told_)
      if (word != 0) return true;
    return false;
  }

  static constexpr uint32_t bits = 64;
  uint64_t told_[most_workers / bits] = {};
};

void set_enabled(uint32_t first, uint32_t count, bool enabled) noexcept {
  changes c;
  for (uint32_t i = first; i < first + count; ++i) {
    worker& w = the().workers[i];
    c.tell(w);
    if (presence_of(w) != worker_presence::present && enabled) continue;
    if (is_meant(w) != enabled) c.set(w, enabled ? 0u : wanted_disabled);
  }
  c.carry_out();
}

void set_presence(worker& w, worker_presence to) noexcept {
  w.presence.store_seq_cst(static_cast<uint32_t>(to));  // bound_B2 <> bound_B1
}

void begin_leaving(worker& w) noexcept {
  w.meant_before = is_meant(w);
  set_presence(w, worker_presence::leaving);
  set_enabled(w.index, 1, false);
}

void stay(worker& w) noexcept {
  set_presence(w, worker_presence::present);
  if (w.meant_before) set_enabled(w.index, 1, true);
}

// True: the listener is the caller's.
bool take_listener(worker& w, end_listener* l) noexcept {
  return w.freed.cas_seq_cst(l, nullptr);  // bound_L3 <> bound_L3
}

bool is_bound(const worker& w) noexcept {
  return w.bound.any();  // bound_B2 <> bound_B1, bound_L2 <> bound_L1
}

// Under the lock, by w. False: a task is bound to it. In its mail there may be an order or the bell,
// which it finds when it is there again.
bool go(worker& w) noexcept {
  set_presence(w, worker_presence::gone);
  if (is_bound(w)) {
    set_presence(w, worker_presence::leaving);
    return false;
  }
  (void)the().gone.add_relaxed(1);  // hint: they do so once more, and again
  if (w.timers.next() != timer_queue::never) show_timers(w);
  (void)the().uncounted.add_relaxed(1);  // count: as become_idle
  fence_seq_cst();                       // W5 <> W1: all others may be idle already
  tell_drained();
  return true;
}

}  // namespace

bool is_enabled(uint32_t worker) noexcept { return takes_free_tasks(the().workers[worker]); }

int enable_workers(uint32_t first, uint32_t count, bool enabled) noexcept {
  const std::lock_guard lock(changing);
  if (!enabled && !another_is_meant(first, count)) return -EBUSY;
  set_enabled(first, count, enabled);
  return 0;
}

void limit_workers(const os::cpu_set& allowed, uint32_t takers) noexcept {
  const std::lock_guard lock(changing);
  takers = takers > 0 ? takers : 1;
  changes c;
  if (!(allowed == the().allowed)) {
    the().allowed = allowed;
    for (uint32_t i = 0; i < the().count; ++i) {
      worker& w = the().workers[i];
      uint32_t nothing = UINT32_MAX;
      (void)w.rebound_to.cas_acq_rel(nothing, same_processor);  // order_R1 -> order_R2
      c.tell(w);
    }
  }
  the().takers = takers;
  c.carry_out();
}

os::cpu_set allowed_processors() noexcept {
  const std::lock_guard lock(changing);
  return the().allowed;
}

void forget_presence_lock() noexcept { std::construct_at(&changing); }

void unbind_from(worker& w) noexcept {
  w.bound.end();                                   // bound_L1 <> bound_L2
  end_listener* const l = w.freed.load_seq_cst();  // bound_L1 <> bound_L2
  if (l == nullptr || is_bound(w)) return;         // of those that end now the last one sees none
  give_order(w);
  if (take_listener(w, l)) l->heard(*l);  // last use of *l
}

bool is_gone(const worker& w) noexcept {
  if (presence_of(w) != worker_presence::gone) return false;
  const std::lock_guard lock(changing);
  return presence_of(w) == worker_presence::gone;
}

bool try_bind_to(worker& w, const worker* by) noexcept {
  bind_to(w, by);
  if (!is_gone(w)) return true;
  unbind_from(w);
  return false;
}

int remove_worker(worker& w, end_listener* freed) noexcept {
  const std::lock_guard lock(changing);
  if (w.adopted.get()) return -EPERM;  // a thread of the program's, which ends that itself
  if (presence_of(w) == worker_presence::gone) return 0;
  if (w.freed.load_seq_cst() != nullptr) return -EALREADY;  // bound_L3 <> bound_L3
  if (!another_is_meant(w.index, 1)) return -EBUSY;
  if (freed == nullptr && is_bound(w)) return -EAGAIN;
  begin_leaving(w);
  if (freed == nullptr) return 0;
  w.freed.store_seq_cst(freed);  // bound_L2 <> bound_L1
  return !is_bound(w) && take_listener(w, freed) ? 0 : -EAGAIN;
}

bool keep_worker(worker& w, end_listener& freed) noexcept {
  const std::lock_guard lock(changing);
  if (!take_listener(w, &freed)) return false;
  if (presence_of(w) == worker_presence::leaving) stay(w);
  return true;
}

bool try_to_go(worker& w) noexcept {
  if (presence_of(w) != worker_presence::leaving || is_bound(w) || has_letters(w)) return false;
  const std::lock_guard lock(changing);
  if (presence_of(w) != worker_presence::leaving) return false;
  return go(w);
}

int leave_worker(worker& w) noexcept {
  for (;;) {
    {
      const std::lock_guard lock(changing);
      if (is_bound(w) || !another_is_meant(w.index, 1)) return -EBUSY;
      begin_leaving(w);
    }
    keep_mail(w);  // an order in it may want the lock
    evacuate(w);
    const std::lock_guard lock(changing);
    if (presence_of(w) != worker_presence::leaving) continue;  // somebody has added it
    if (!go(w)) {
      stay(w);
      return -EBUSY;
    }
    release_flow(w);  // while the lock is closed: then others may have the worker
    detach_caches(w);
    return 0;
  }
}

int add_worker(uint32_t number, int (*start)(worker&) noexcept, int if_there) noexcept {
  const std::lock_guard lock(changing);
  if (!running()) return -ENOTCONN;
  if (number >= the().count) return -ERANGE;
  worker& w = the().workers[number];
  if (presence_of(w) != worker_presence::gone) {
    if (if_there != 0) return if_there;
  } else {
    w.thread.join();
    while (w.carried.load_acquire() != 0) os::futex_wait(w.carried, 1);  // carrier_C4 <- carrier_C3
    (void)the().uncounted.add_relaxed(UINT32_MAX);                       // count: as leave_idle
    const int failed = start(w);
    if (failed == 0) {
      (void)the().gone.add_relaxed(UINT32_MAX);  // hint: as in go()
    } else {
      (void)the().uncounted.add_relaxed(1);  // count: as become_idle
      return failed;
    }
  }
  set_presence(w, worker_presence::present);
  set_enabled(w.index, 1, true);
  return 0;
}

bool end_running(bool (*hinders)() noexcept) noexcept {
  const std::lock_guard lock(changing);
  if (hinders()) return false;
  set_running(false);
  return true;
}

}  // namespace weft::rt
