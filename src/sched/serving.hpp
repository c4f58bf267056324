// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedulers of the program's own: which pools a worker serves, and what it takes from them next.
//
// A worker has a chain of them, the uppermost first: those that a task of it runs, each of which
// lies on the stack of that task, and at the bottom the one it was given. README.md, "Pools".
#pragma once

#include <cstdint>

#include <weft/types.h>

#include "base/atomic.hpp"
#include "base/owned.hpp"
#include "sched/task.hpp"

namespace weft::rt {

class pool;
struct worker;

inline constexpr std::size_t most_pools_of_one = 64;

// What makes one; the last two may be null.
struct scheduler_plan {
  const weft_pool_t* pools = nullptr;
  std::size_t pool_count = 0;
  weft_task_t (*pick)(weft_scheduler_t, void*) = nullptr;
  void* state = nullptr;
  bool alone = false;
  void (*released)(void*) = nullptr;
};

// A scheduler; what is not said to change is set when it is made. `finished` is read before all
// else: so a thread sanitizer sees that it was.
struct user_scheduler {
  pool* pools[most_pools_of_one] = {};
  std::size_t pool_count = 0;
  weft_task_t (*pick)(weft_scheduler_t, void*) = nullptr;
  void (*released)(void*) = nullptr;
  void* state = nullptr;
  bool alone = false;
  uint32_t holders = 1;  // its maker and the workers that have it; under the lock of serving.cpp
  atomic<uint32_t> finished{0};    // how often weft_scheduler_finish was called
  user_scheduler* next = nullptr;  // of all that exist; under the lock
};

// One of a worker's chain.
struct serving {
  owned<user_scheduler*> by;
  owned<serving*> below;
  owned<task*> runner;  // who waits until it is left; null: the one that the worker was given
  owned<uint32_t> finished_at;  // `finished` when it began
};

// 0, -EINVAL (no such pool, a pool twice), -ENOMEM.
[[nodiscard]] int make_scheduler(const scheduler_plan& plan, user_scheduler** out) noexcept;
void free_scheduler(user_scheduler* s) noexcept;
// 0, -EBUSY. s may be null: none. A worker that is gone has it at once, others take it up later.
[[nodiscard]] int set_scheduler(worker& w, user_scheduler* s) noexcept;
// 0, -EBUSY, -EPERM, -ENOMEM. site: of the call, for reports.
[[nodiscard]] int run_scheduler(user_scheduler& s, void* site) noexcept;
void finish_scheduler(user_scheduler& s) noexcept;
// At the stop, when no worker runs: all schedulers are released.
void forget_schedulers() noexcept;
// In a child of fork(): the parent's schedulers are no more, and none of their functions is called.
void abandon_schedulers() noexcept;

// By w, which follows an order: takes up the scheduler it was given, if there is another, and is
// attentive if that or what else is wanted asks for it.
void change_scheduler(worker& w) noexcept;
// What the worker's schedulers want run next. Null: nothing.
task* ask_schedulers(worker& w) noexcept;
// By w, disabled or not: its schedulers that were finished are left.
void leave_finished(worker& w) noexcept;
// Whether a pool that the worker looks into holds something.
bool serves_work(const worker& w) noexcept;
// Whether w serves that pool.
bool serves(const worker& w, uint32_t pool_number) noexcept;
// The worker goes idle, or comes back: its pools know.
void servers_idle(worker& w) noexcept;
void servers_rise(worker& w) noexcept;
// It found work after it had been idle: if there is more in its pools, another is called.
void call_other_servers(worker& w) noexcept;
// It found nothing and will be idle: what its schedulers do not pick, though they may, is perhaps
// for others that serve these pools. They know of what an admission test refuses: who puts that
// calls all.
void pass_on_what_is_left(worker& w) noexcept;

// For weft_pool_pop and weft_pool_push: whether the caller is a pick, and its worker.
worker* picking_worker() noexcept;

}  // namespace weft::rt
