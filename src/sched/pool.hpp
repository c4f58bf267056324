// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pool of the program's own: ready tasks in an order of its own, for the workers that serve it.
//
// A shared pool has a lock. One with a single consumer has a side door instead: its worker puts and takes
// without a lock, everybody else leaves tasks in an inbox that the worker empties when it takes. One of deques has a
// deque for each worker (deque_group.hpp).
//
// Orders
//   pool_I1 <> pool_I2   who puts a task: puts, fence_light, asks for idle servers; an idle server says so, process-
//                        wide barrier, looks into its pools (idle.cpp). Without such a barrier both fence.
//   pool_C1 -> pool_C2   a worker that lets go of a single-consumer pool leaves it to the next
//   pool_S1 -> pool_S2   what a scheduler and its workers did with the pool precedes its end
#pragma once

#include <cstdint>

#include <weft/types.h>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/build.hpp"
#include "lockfree/inbox.hpp"
#include "sched/deque_group.hpp"
#include "sched/key_heap.hpp"
#include "sched/spin_lock.hpp"
#include "sched/task.hpp"

namespace weft::rt {

struct worker;

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

class pool {
 public:
  // group: where the plan says deques.
  pool(uint32_t number, const pool_plan& plan, deque_group* group) noexcept
      : number_(number),
        shared_(plan.access == pool_access::shared || plan.access == pool_access::deques),
        plan_(plan),
        group_(group) {}
  ~pool() { deque_group::release(group_); }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  uint32_t number() const noexcept { return number_; }
  bool by_key() const noexcept {
    return plan_.order == pool_order::key_fifo || plan_.order == pool_order::key_lifo;
  }
  // Whether tasks of that worker (null: a thread outside) may spawn here.
  bool admits(const worker* w) const noexcept;

  // Any thread; w: the calling worker or null. last: the task gave way to all others. Then notify().
  void put(const worker* w, task* t, bool last = false) noexcept;
  // Tells an idle server, if there is one.
  WEFT_ALWAYS_INLINE void notify() noexcept {
    fence_light();                                         // pool_I1 <> pool_I2
    if (idle_servers_.load_relaxed() != 0 || symmetric())  // pool_I1 <> pool_I2
      call_server();
  }
  // The next task; null: there is none, or w is not the consumer.
  task* take(worker& w) noexcept;

  // Whether there is a task, or one for a worker that serves it, after a barrier that pairs with the one of who put it.
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

  // Under the lock of serving.cpp: the one consumer. False: there is another.
  bool claim(uint32_t worker) noexcept;
  void let_go() noexcept;
  void add_server(uint32_t worker) noexcept;
  void remove_server(uint32_t worker) noexcept;
  bool is_served() const noexcept;  // by a worker that is enabled
  bool has_server(uint32_t worker) const noexcept;

  // By a worker that serves it and goes idle, or comes back.
  void server_idles() noexcept {
    (void)idle_servers_.add_relaxed(1);  // pool_I2 <> pool_I1
  }
  void server_rises() noexcept {
    (void)idle_servers_.add_relaxed(UINT32_MAX);  // count: a wrong value costs a look
  }

  // Schedulers that have it: written under the lock of serving.cpp, and at 0 the pool may go at once.
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

  static bool symmetric() noexcept;
  WEFT_COLD void call_server() noexcept;
  bool is_consumer(const worker* w) const noexcept;
  // A thread sanitizer takes each task of a worker for a thread of its own: there the lock says that they
  // take turns.
  bool locks() const noexcept { return shared_ || build::tsan; }
  void enter(task* t) noexcept;
  task* leave() noexcept;
  void empty_side() noexcept;

  const uint32_t number_;
  const bool shared_;
  const pool_plan plan_;
  deque_group* const group_;
  atomic<uint32_t> schedulers_{0};
  uint32_t claims_ = 0;                          // under the lock of serving.cpp
  atomic<uint32_t> consumer_{nobody};            // of a pool that is not shared
  atomic<uint64_t> servers_[most_workers / 64];  // a bit for each worker that serves it

  // Written by who goes idle, read by each put.
  alignas(line_bytes) atomic<uint32_t> idle_servers_{0};

  // Under lock_, or the consumer's.
  alignas(line_bytes) spin_lock lock_;
  atomic<uint32_t> held_{0};
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

// Queues a task, fresh or parked, whose home is a pool. w: the calling worker or null. Its stack may be gone
// when this returns.
void send_to_pool(const worker* w, task* t, uint32_t number) noexcept;

// The same for a parked task that gives way to all others of its pool.
void send_behind_pool(const worker& w, task* t, uint32_t number) noexcept;

// A ready task that no queue holds goes to another pool. 0, -EPERM, -ENOMEM; then it is the caller's still.
[[nodiscard]] int move_to_pool(const worker& w, task* t, pool& to) noexcept;

}  // namespace weft::rt
