// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pool of the program's own: ready tasks in an order of its own, for the workers that serve it.
//
// A pool has an owner: the single consumer, or of a shared one the first worker that serves it. The
// owner puts and takes without an atomic update; everybody else leaves tasks at a side door, an
// inbox that is emptied before the next task is put or taken in order. The single consumer is named
// by who gives it a scheduler, and that may be taken back before the worker knows of it. Owner it
// becomes by itself, when it takes the scheduler up, until it serves the pool no more. What is
// shared has a lock besides, biased to the owner (lockfree/revocable_lock.hpp): another worker that
// takes revokes the bias, and from then on all who put or take hold the lock, until the owner has
// long been the only one. One of deques has a deque for each worker (deque_group.hpp).
//
// Order among tasks of one maker: who finds the bias in place leaves its task at the side door, and
// who puts in order later, by whatever way it heard of that, finds it there and lets it in first.
// What was put in order before stays before.
//
// Orders
//   pool_I1 <> pool_I2   who puts a task: puts, fence_light, asks for idle servers; an idle server
//                        says so, process- wide barrier, looks into its pools (idle.cpp). Without
//                        such a barrier both fence.
//   pool_A1 <> pool_A2   a worker that asks the pool no more says so, full fence, looks into it,
//                        calls another; who puts a task: puts, full fence, reads who asks
//   pool_C1 -> pool_C2   what a worker that was the owner did with the pool precedes what the next
//                        one does
//   pool_S1 -> pool_S2   what a scheduler and its workers did with the pool precedes its end
#pragma once

#include <cstdint>

#include <weft/types.h>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/build.hpp"
#include "lockfree/inbox.hpp"
#include "lockfree/revocable_lock.hpp"
#include "sched/barrier.hpp"
#include "sched/deque_group.hpp"
#include "sched/key_heap.hpp"
#include "sched/spin.hpp"
#include "sched/task.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

inline constexpr uint32_t most_workers = 1024;  // as WEFT_WORKERS allows
inline constexpr uint32_t most_pools = 4096;

enum class pool_access : uint32_t {
  shared,
  one_consumer,
  private_to_one,
  deques
};  // as weft_pool_access_t
enum class pool_order : uint32_t { fifo, lifo, key_fifo, key_lifo };  // as weft_pool_order_t

// What makes one.
struct pool_plan {
  pool_access access = pool_access::shared;
  pool_order order = pool_order::fifo;
  // An order of the program's own, or null: see weft_pool_ops_t.
  void (*push)(void* state, weft_task_t task, const uint64_t* key, uint32_t key_words) = nullptr;
  weft_task_t (*pop)(void* state) = nullptr;
  int (*admit)(void* state, const weft_candidate_t* candidate) = nullptr;  // for deques, or null
  void* state = nullptr;
};

// Who serves a pool. It belongs to the pool's number and stays when the pool goes: who puts a task
// asks it afterwards, when that task may have ended, and been the last.
class alignas(line_bytes) pool_servers {
 public:
  // By who makes the pool. picky: not every server may have every task.
  void begin(bool symmetric, bool picky) noexcept {
    symmetric_.store_relaxed(symmetric);  // init: before the pool is published
    picky_.store_relaxed(picky);          // init: as above
    idle_.store_relaxed(0);               // init: as above
    for (atomic<uint64_t>& word : bits_) word.store_relaxed(0);    // init: as above
    for (atomic<uint64_t>& word : asking_) word.store_relaxed(0);  // init: as above
  }

  // Tells an idle server, if there is one.
  WEFT_ALWAYS_INLINE void notify() noexcept {
    fence_light();                                               // pool_I1 <> pool_I2
    if (idle_.load_relaxed() != 0 || symmetric_.load_relaxed())  // pool_I1 <> pool_I2
      call(false);
  }
  // The same, and all of them: who calls does not take what the pool holds, and another might.
  void notify_all() noexcept { call(true); }

  // By a worker that serves the pool and goes idle, or comes back.
  void idles() noexcept {
    (void)idle_.add_relaxed(1);  // pool_I2 <> pool_I1
  }
  void rises() noexcept {
    (void)idle_.add_relaxed(UINT32_MAX);  // count: a wrong value costs a look
  }

  // Under the lock of serving.cpp, by the worker: it serves the pool from now on, or no more. While
  // it does, it asks it or not: a scheduler that is alone may be above. Full fences.
  void add(uint32_t worker) noexcept;
  void remove(uint32_t worker) noexcept;
  void set_asks(uint32_t worker, bool asks) noexcept;
  bool has(uint32_t worker) const noexcept;

 private:
  WEFT_COLD void call(bool all) noexcept;

  atomic<uint32_t> idle_{0};  // written by who goes idle, read by each put
  atomic<bool> symmetric_{false};
  atomic<bool> picky_{false};
  atomic<uint64_t> bits_[most_workers / 64];    // a bit for each
  atomic<uint64_t> asking_[most_workers / 64];  // of those, who asks it
};

class pool {
 public:
  // group: where the plan says deques. symmetric: no process-wide barrier can be had.
  pool(uint32_t number, const pool_plan& plan, deque_group* group, pool_servers& servers,
       bool symmetric) noexcept
      : number_(number),
        shared_(plan.access == pool_access::shared || plan.access == pool_access::deques),
        kind_(kind_of(plan)),
        plan_(plan),
        group_(group),
        servers_(servers),
        lock_(symmetric, spin_pause) {
    servers_.begin(symmetric, group_ != nullptr && group_->tests());
  }
  ~pool() { deque_group::release(group_); }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  uint32_t number() const noexcept { return number_; }
  bool by_key() const noexcept {
    return plan_.order == pool_order::key_fifo || plan_.order == pool_order::key_lifo;
  }
  // Whether tasks of that worker (null: a thread outside) may spawn here.
  bool admits(const worker* w) const noexcept {
    if (plan_.access != pool_access::private_to_one) return true;
    return w != nullptr && consumer_.load_relaxed() == w->index;  // hint: a put asks who owns it
  }

  // Any thread; w: the calling worker or null. Tells an idle server. The task may have ended before
  // this returns, and have been the last: of the pool nothing is used after that.
  void put(const worker* w, task* t) noexcept {
    pool_servers& told = servers_;
    if (kind_ == kind::list && is_owner(w)) [[likely]] {
      const way came = lock_as_owner();
      if (!side_.empty()) [[unlikely]]
        empty_side();
      append(t);
      unlock_as_owner(came);
    } else if (is_locked_list()) {
      lock_.lock(process_barrier);
      if (!side_.empty()) [[unlikely]]
        empty_side();
      append(t);
      lock_.unlock();
    } else {
      put_otherwise(w, t, false);
    }
    told.notify();
  }
  // The same for one that gave way to all others.
  void put_behind(const worker* w, task* t) noexcept {
    pool_servers& told = servers_;
    put_otherwise(w, t, true);
    told.notify();
  }
  // The next task; null: there is none, or w is not the consumer.
  WEFT_ALWAYS_INLINE task* take(worker& w) noexcept {
    const bool owns = is_owner(&w);
    if (kind_ != kind::list || !(owns || is_locked_list()) || !side_.empty()) [[unlikely]]
      return take_otherwise(w);
    if (held_.load_relaxed() == 0)
      return nullptr;  // hint: who puts by the side door calls a server
    if (!owns) {
      lock_.lock(process_barrier);
      task* t = first();
      lock_.unlock();
      return t;
    }
    const way came = lock_as_owner();
    task* t = first();
    unlock_as_owner(came);
    return t;
  }

  // Whether there is a task, or one for a worker that serves it, after a barrier that pairs with
  // the one of who put it.
  bool holds_some() const noexcept {
    if (group_ != nullptr) return group_->holds_some();
    return held_.load_relaxed() != 0 || !side_.empty();  // hint: take() looks again
  }
  bool holds_for(const worker& w) const noexcept {
    return group_ != nullptr ? group_->holds_for(w) : holds_some();
  }
  int64_t size() const noexcept {
    if (group_ != nullptr) return group_->size();
    const uint32_t held = held_.load_relaxed();     // hint: a report
    return int64_t{held} + beside_.load_relaxed();  // hint: a report
  }

  // Under the lock of serving.cpp: the worker is to serve it, once more. False: there is another
  // consumer.
  bool claim(uint32_t worker) noexcept;
  void let_go() noexcept;
  // Under the lock, by the worker (or for one that is gone): it serves it, or no more.
  void begin_to_own(uint32_t worker) noexcept;
  void end_to_own(uint32_t worker) noexcept;
  bool is_served() const noexcept;  // by a worker that is enabled
  pool_servers& servers() const noexcept { return servers_; }

  // Schedulers that have it: written under the lock of serving.cpp, and at 0 the pool may go at
  // once.
  void gains_scheduler() noexcept {
    schedulers_.store_relaxed(schedulers_.load_relaxed() + 1);  // via: the lock
  }
  void loses_scheduler() noexcept {
    schedulers_.store_release(schedulers_.load_relaxed() - 1);  // pool_S1 -> pool_S2
  }
  bool has_scheduler() const noexcept {
    return schedulers_.load_acquire() != 0;  // pool_S2 <- pool_S1
  }

 private:
  static constexpr uint32_t nobody = UINT32_MAX;

  using way = revocable_lock::way;
  enum class kind : uint8_t { list, heap, functions, deques };
  static kind kind_of(const pool_plan& plan) noexcept;

  WEFT_ALWAYS_INLINE bool is_owner(const worker* w) const noexcept {
    return w != nullptr && owner_.load_acquire() == w->index;  // pool_C2 <- pool_C1
  }

  // Whether who is not its owner takes the lock: a list that several take from.
  WEFT_ALWAYS_INLINE bool is_locked_list() const noexcept {
    return kind_ == kind::list && shared_ && lock_.is_revoked();
  }

  // A thread sanitizer takes each task of a worker for a thread of its own: there the lock says
  // that they take turns.
  bool locks() const noexcept { return shared_ || build::tsan; }
  WEFT_ALWAYS_INLINE way lock_as_owner() noexcept {
    return locks() ? lock_.lock_as_owner() : way::bias;
  }
  WEFT_ALWAYS_INLINE void unlock_as_owner(way came) noexcept {
    if (locks()) lock_.unlock_as_owner(came);
  }

  // A pool in order of arrival: to its end (or, last in first out, its beginning), and from its
  // beginning.
  WEFT_ALWAYS_INLINE void append(task* t) noexcept {
    held_.store_relaxed(held_.load_relaxed() + 1);  // own: under lock_, or the owner's
    const bool at_end = plan_.order == pool_order::fifo && first_ != nullptr;
    t->next.set(at_end ? nullptr : first_);
    if (at_end) {
      last_->next.set(t);
    } else {
      first_ = t;
    }
    if (at_end || t->next.get() == nullptr) last_ = t;
  }
  WEFT_ALWAYS_INLINE task* first() noexcept {
    const uint32_t held = held_.load_relaxed();  // own: as in append()
    if (held == 0) return nullptr;
    held_.store_relaxed(held - 1);  // own: as in append()
    task* t = first_;
    first_ = t->next.get();
    notes::release(t);  // after who stood before it
    return t;
  }

  // Does it as the owner or under the lock. False: there is no lock, and w is not the owner.
  template <class What>
  bool in_turn(const worker* w, What&& what) noexcept;
  void put_otherwise(const worker* w, task* t, bool last) noexcept;
  task* take_otherwise(worker& w) noexcept;
  void enter(task* t) noexcept;
  task* leave() noexcept;
  WEFT_COLD void empty_side() noexcept;

  const uint32_t number_;
  const bool shared_;
  const kind kind_;
  const pool_plan plan_;
  deque_group* const group_;
  pool_servers& servers_;
  atomic<uint32_t> schedulers_{0};
  uint32_t claims_ = 0;                // under the lock of serving.cpp
  atomic<uint32_t> consumer_{nobody};  // whose these are; written under the lock
  atomic<uint32_t> owner_{nobody};     // of a shared pool it never changes

  revocable_lock lock_;

  // Under lock_, or the owner's.
  alignas(line_bytes) atomic<uint32_t> held_{0};
  task* first_ = nullptr;
  task* last_ = nullptr;
  key_heap heap_;

  atomic<uint32_t> beside_{0};  // tasks in side_, about
  inbox<task, task_link> side_;
};

// All pools. 0, -EAGAIN, -ENOMEM.
[[nodiscard]] int make_pool(const pool_plan& plan, weft_pool_t* out) noexcept;
inline uint32_t number_of_pool(weft_pool_t handle) noexcept { return handle % most_pools; }
// The pool of a handle, or null.
pool* find_pool(weft_pool_t handle) noexcept;
// The pool of that number, which has tasks: it is there, or the process ends with a sentence.
pool& pool_at(uint32_t number) noexcept;
// 0, -EINVAL, -EBUSY.
[[nodiscard]] int free_pool(weft_pool_t handle) noexcept;
// Whether none that is served holds a task.
bool served_pools_are_empty() noexcept;
// Whether tasks may wait for that worker in a pool.
bool serves_some_pool(uint32_t worker) noexcept;
// At the stop, when no worker runs: all pools are released.
void forget_pools() noexcept;
// In a child of fork(): the parent's pools are no more, and their memory stays as it is.
void abandon_pools() noexcept;

// Queues a task, fresh or parked, whose home is a pool. w: the calling worker or null. Its stack
// may be gone when this returns.
void send_to_pool(const worker* w, task* t, uint32_t number) noexcept;

// The same for a parked task that gives way to all others of its pool.
void send_behind_pool(const worker& w, task* t, uint32_t number) noexcept;

// A ready task that a pool gave goes to another or back, with the one that was sent there. 0,
// -EPERM, -ENOMEM; then it is the caller's still.
[[nodiscard]] int move_to_pool(const worker& w, task* t, pool& to) noexcept;

}  // namespace weft::rt
