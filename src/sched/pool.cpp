// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools: putting, taking, waking who serves them, and the table of all.
//
// Orders
//   table_T1 -> table_T2   a pool is published to who has its number
#include "sched/pool.hpp"

#include <cerrno>
#include <memory>
#include <mutex>
#include <new>

#include "base/check.hpp"
#include "mem/raw.hpp"
#include "sched/attention.hpp"
#include "sched/barrier.hpp"
#include "sched/extra.hpp"
#include "sched/ready.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

namespace {

// A handle is a place (weft/types.h): a bit that says pool, the pool's generation, its number.
constexpr uint32_t pool_bit = 1u << 30;
constexpr uint32_t generations = (1u << 30) / most_pools;

struct table_entry {
  pool_servers servers;
  atomic<pool*> at{nullptr};
  atomic<uint32_t> generation{0};  // raised by free_pool: older handles mean nothing
  uint32_t next_freed = 0;         // under the lock: of a number that was freed, which was next
};

constinit std::mutex changing;  // who makes and frees
constinit table_entry table[most_pools];
constinit atomic<uint32_t> table_end{0};  // no pool has this number or a higher one

// Numbers whose pools were freed, in that order. A task whose pool is gone is to find none under
// that number when it becomes ready, so it stays unused until so many more have been freed, or
// there are no others.
constexpr uint32_t most_kept_back = 64;
constinit uint32_t freed = 0;        // under the lock, as the next: so many
constinit uint32_t freed_first = 0;  // if there are some
constinit uint32_t freed_last = 0;   // if there are some

// Under the lock. most_pools: all are in use.
uint32_t next_number() noexcept {
  const uint32_t unused = table_end.load_relaxed();  // via: the lock
  return freed > most_kept_back || (unused == most_pools && freed > 0) ? freed_first : unused;
}

// Under the lock.
void use_number(uint32_t number) noexcept {
  const uint32_t unused = table_end.load_relaxed();  // via: the lock
  if (number == unused) {
    table_end.store_release(number + 1);  // table_T1 -> table_T2
  } else {
    freed_first = table[number].next_freed;
    --freed;
  }
}

// Under the lock.
void keep_back(uint32_t number) noexcept {
  if (freed == 0) {
    freed_first = number;
  } else {
    table[freed_last].next_freed = number;
  }
  freed_last = number;
  ++freed;
}

// Under the lock, or by the only thread: there are no pools.
void begin_numbers_anew() noexcept {
  freed = 0;
  table_end.store_relaxed(0);  // via: the lock
}

uint32_t handle_of(uint32_t number) noexcept {
  const uint32_t now = table[number].generation.load_relaxed();  // via: table_T2
  return pool_bit | now % generations * most_pools | number;
}

// Under the lock. From now on the handles of the pool mean nothing.
pool* take_out(table_entry& entry) noexcept {
  pool* p = entry.at.load_relaxed();                                    // via: the lock
  entry.at.store_relaxed(nullptr);                                      // via: the lock
  entry.generation.store_relaxed(entry.generation.load_relaxed() + 1);  // via: the lock
  return p;
}

void release(table_entry& entry) noexcept {
  pool* p = take_out(entry);
  p->~pool();
  raw_free(p, sizeof(pool));
}

}  // namespace

pool::kind pool::kind_of(const pool_plan& plan) noexcept {
  if (plan.access == pool_access::deques) return kind::deques;
  if (plan.push != nullptr) return kind::functions;
  return plan.order == pool_order::key_fifo || plan.order == pool_order::key_lifo ? kind::heap
                                                                                  : kind::list;
}

void pool::enter(task* t) noexcept {
  if (kind_ == kind::list) return append(t);
  held_.store_relaxed(held_.load_relaxed() + 1);  // own: as in append()
  notes::acquire(t);                              // its key, which this flow need not know
  if (kind_ == kind::heap) {
    heap_.push(t, plan_.order == pool_order::key_lifo);
    return;
  }
  const task_extra* x = sent_to_pool(t)->extra.load_acquire();  // E2 <- E1
  const bool has_key = x != nullptr && x->key_words != 0;
  plan_.push(plan_.state, reinterpret_cast<weft_task_t>(t), has_key ? x->key : nullptr,
             has_key ? x->key_words : 0);
}

task* pool::leave() noexcept {
  if (kind_ == kind::list) return first();
  const uint32_t held = held_.load_relaxed();  // own: as in append()
  if (held == 0) return nullptr;
  task* t = kind_ == kind::heap ? heap_.pop() : reinterpret_cast<task*>(plan_.pop(plan_.state));
  if (t == nullptr) return nullptr;
  held_.store_relaxed(held - 1);  // own: as in append()
  notes::release(t);              // after who compared its key
  return t;
}

void pool::empty_side() noexcept {
  uint32_t moved = 0;
  for (task* t = side_.take_all(); t != nullptr; ++moved) {
    task* after = t->next.get();
    enter(t);
    t = after;
  }
  (void)beside_.add_relaxed(0 - moved);  // count: a report
}

template <class What>
bool pool::in_turn(const worker* w, What&& what) noexcept {
  if (is_owner(w)) {
    const way came = lock_as_owner();
    what();
    unlock_as_owner(came);
    return true;
  }
  if (!shared_) return false;
  lock_.lock(process_barrier);
  what();
  lock_.unlock();
  return true;
}

void pool::put_otherwise(const worker* w, task* t, bool last) noexcept {
  if (kind_ == kind::deques) {
    group_->put(w, t, last);
    return;
  }
  const bool by_side_door = !is_owner(w) && (!shared_ || !lock_.is_revoked());
  if (!by_side_door && in_turn(w, [&] {
        if (!side_.empty()) empty_side();
        enter(t);
      }))
    return;
  (void)beside_.add_relaxed(1);  // count: a report
  side_.push(t);
}

task* pool::take_otherwise(worker& w) noexcept {
  task* t = nullptr;
  if (kind_ == kind::deques) {
    t = group_->take(w);
    if (t != nullptr) notes::release(t);  // after who tested it
    return t;
  }
  if (!holds_some()) return nullptr;
  (void)in_turn(&w, [&] {
    if (!side_.empty()) empty_side();
    t = leave();
  });
  return t;
}

namespace {

using server_bits = atomic<uint64_t>[most_workers / 64];

void set_bit(server_bits& of, uint32_t worker, bool to) noexcept {
  atomic<uint64_t>& word = of[worker / 64];
  const uint64_t bit = uint64_t{1} << worker % 64;
  const uint64_t before = word.load_relaxed();            // own: under the lock of serving.cpp
  word.store_relaxed(to ? before | bit : before & ~bit);  // pool_A1 <> pool_A2
}

}  // namespace

void pool_servers::call(bool all) noexcept {
  fence_seq_cst();  // pool_A2 <> pool_A1, order_D2 <> order_D1, pool_I1 <> pool_I2
  if (idle_.load_relaxed() == 0) return;  // pool_I1 <> pool_I2
  // Which of them may have the task is not known.
  all |= picky_.load_relaxed();  // hint: of a pool that is gone it says nothing any more
  for (uint32_t i = 0; i < most_workers / 64; ++i)
    for (uint64_t bits = asking_[i].load_relaxed(); bits != 0;  // pool_A2 <> pool_A1
         bits &= bits - 1) {
      worker& v = the().workers[i * 64 + static_cast<uint32_t>(__builtin_ctzl(bits))];
      if (takes_free_tasks(v) && rt::call(v) && !all) return;
    }
}

bool pool::claim(uint32_t worker) noexcept {
  if (shared_) return true;
  const uint32_t now = consumer_.load_relaxed();  // via: the lock of serving.cpp
  if (now != nobody && now != worker) return false;
  ++claims_;
  consumer_.store_relaxed(worker);  // via: the lock of serving.cpp
  return true;
}

void pool::let_go() noexcept {
  if (!shared_ && --claims_ == 0) consumer_.store_relaxed(nobody);  // via: the lock of serving.cpp
}

void pool::begin_to_own(uint32_t worker) noexcept {
  if (!shared_ || owner_.load_relaxed() == nobody)  // via: the lock of serving.cpp
    owner_.store_release(worker);                   // pool_C1 -> pool_C2
}

void pool::end_to_own(uint32_t worker) noexcept {
  if (!shared_ && owner_.load_relaxed() == worker)  // via: the lock of serving.cpp
    owner_.store_release(nobody);                   // pool_C1 -> pool_C2
}

void pool_servers::add(uint32_t worker) noexcept { set_bit(bits_, worker, true); }

void pool_servers::remove(uint32_t worker) noexcept {
  set_bit(bits_, worker, false);
  set_asks(worker, false);
}

void pool_servers::set_asks(uint32_t worker, bool asks) noexcept {
  set_bit(asking_, worker, asks);
  fence_seq_cst();  // pool_A1 <> pool_A2
}

bool pool::is_served() const noexcept {
  for (uint32_t i = 0; i < the().count; ++i)
    if (servers_.has(i) && takes_free_tasks(the().workers[i]))
      return true;  // hint: who drains asks twice
  return false;
}

bool pool_servers::has(uint32_t worker) const noexcept {
  return (bits_[worker / 64].load_relaxed() >> worker % 64 & 1) != 0;  // hint: changes by an order
}

int make_pool(const pool_plan& plan, weft_pool_t* out) noexcept {
  const std::lock_guard lock(changing);
  const uint32_t number = next_number();
  if (number == most_pools) return -EAGAIN;
  void* memory = raw_alloc(sizeof(pool));
  if (memory == nullptr) return -ENOMEM;
  deque_group* group = nullptr;
  if (plan.access == pool_access::deques) {
    group = deque_group::make(plan.admit, plan.state);
    if (group == nullptr) {
      raw_free(memory, sizeof(pool));
      return -ENOMEM;
    }
  }
  pool* made = new (memory) pool(number, plan, group, table[number].servers, !the().membarrier);
  table[number].at.store_release(made);  // table_T1 -> table_T2
  use_number(number);
  *out = handle_of(number);
  return 0;
}

pool* find_pool(weft_pool_t handle) noexcept {
  if (handle >> 30 != 1) return nullptr;
  const uint32_t number = number_of_pool(handle);
  pool* p = table[number].at.load_acquire();  // table_T2 <- table_T1
  return p != nullptr && handle_of(number) == handle ? p : nullptr;
}

pool& pool_at(uint32_t number) noexcept {
  pool* p = table[number].at.load_acquire();  // table_T2 <- table_T1
  WEFT_CHECK(p != nullptr, "a task became ready whose pool was released by weft_pool_free");
  return *p;
}

int free_pool(weft_pool_t handle) noexcept {
  const std::lock_guard lock(changing);
  pool* p = find_pool(handle);
  if (p == nullptr) return -EINVAL;
  if (p->has_scheduler() || p->holds_some()) return -EBUSY;
  const uint32_t number = p->number();
  release(table[number]);
  keep_back(number);
  return 0;
}

bool served_pools_are_empty() noexcept {
  const uint32_t end = table_end.load_acquire();  // table_T2 <- table_T1
  for (uint32_t i = 0; i < end; ++i) {
    const pool* p = table[i].at.load_acquire();  // table_T2 <- table_T1
    if (p != nullptr && p->holds_some() && p->is_served()) return false;
  }
  return true;
}

bool serves_some_pool(uint32_t worker) noexcept {
  const std::lock_guard lock(changing);
  const uint32_t end = table_end.load_relaxed();  // via: the lock
  for (uint32_t i = 0; i < end; ++i) {
    const pool* p = table[i].at.load_relaxed();  // via: the lock
    if (p != nullptr && p->servers().has(worker)) return true;
  }
  return false;
}

void forget_pools() noexcept {
  const std::lock_guard lock(changing);
  for (table_entry& entry : table)
    if (entry.at.load_relaxed() != nullptr) release(entry);  // via: the lock
  begin_numbers_anew();
}

void abandon_pools() noexcept {
  std::construct_at(&changing);  // perhaps somebody held it
  for (table_entry& entry : table)
    if (entry.at.load_relaxed() != nullptr) (void)take_out(entry);  // own: one thread
  begin_numbers_anew();
}

void send_to_pool(const worker* w, task* t, uint32_t number) noexcept {
  pool& to = pool_at(number);
  to.put(w, t);  // last use of *t
}

void send_behind_pool(const worker& w, task* t, uint32_t number) noexcept {
  pool& to = pool_at(number);
  to.put_behind(&w, t);  // last use of *t
}

int move_to_pool(const worker& w, task* t, pool& to) noexcept {
  if (!to.admits(&w)) return -EPERM;
  task* sent = sent_to_pool(t);  // else a child would not have the key that it waited by
  if (to.by_key() && extra_of(*sent) == nullptr) return -ENOMEM;
  sent->state.drop(flag_sticky);  // of one that has not begun
  sent->state.set_home(to.number());
  if (stack* on = t->on.get()) on->home.set(pool_home(to.number()));
  to.put(&w, t);  // last use of *t
  return 0;
}

}  // namespace weft::rt
