// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/pool.h.
#include "sched/pool.hpp"

#include <cerrno>

#include <weft/pool.h>

#include "base/attributes.hpp"
#include "base/sized.hpp"
#include "boot/boot.hpp"
#include "sched/scheduler.hpp"
#include "sched/serving.hpp"

namespace rt = weft::rt;

namespace {

int read_plan(const weft_pool_config_t* given, rt::pool_plan& out) noexcept {
  if (given == nullptr) return 0;
  weft_pool_config_t config{};
  if (!rt::read_sized(*given, config)) return -EINVAL;
  if (config.access > WEFT_POOL_DEQUES || config.order > WEFT_POOL_KEY_LIFO) return -EINVAL;
  out.access = static_cast<rt::pool_access>(config.access);
  out.order = static_cast<rt::pool_order>(config.order);
  out.state = config.state;
  out.admit = config.admit;
  const bool deques = config.access == WEFT_POOL_DEQUES;
  if (deques ? config.order != 0 || config.ops != nullptr : config.admit != nullptr) return -EINVAL;
  if (config.ops == nullptr) return 0;
  if (config.order != 0 || config.ops->push == nullptr || config.ops->pop == nullptr)
    return -EINVAL;
  out.push = config.ops->push;
  out.pop = config.ops->pop;
  return 0;
}

int read_plan(const weft_scheduler_config_t& given, rt::scheduler_plan& out) noexcept {
  weft_scheduler_config_t config{};
  if (!rt::read_sized(given, config)) return -EINVAL;
  if (config.pools == nullptr || config.count == 0 || config.count > rt::most_pools_of_one)
    return -EINVAL;
  if ((config.flags & ~uint32_t{WEFT_SCHEDULER_ALONE}) != 0) return -EINVAL;
  out.pools = config.pools;
  out.pool_count = config.count;
  out.pick = config.pick;
  out.state = config.state;
  out.alone = (config.flags & WEFT_SCHEDULER_ALONE) != 0;
  out.released = config.released;
  return 0;
}

rt::user_scheduler* of(weft_scheduler_t s) noexcept {
  return reinterpret_cast<rt::user_scheduler*>(s);
}

}  // namespace

int weft_pool_create(const weft_pool_config_t* config, weft_pool_t* out) {
  if (out == nullptr) return -EINVAL;
  rt::pool_plan plan;
  const int wrong = read_plan(config, plan);
  if (wrong != 0) return wrong;
  return rt::boot::running() ? rt::make_pool(plan, out) : -ENOTCONN;
}

int weft_pool_free(weft_pool_t pool) {
  return rt::boot::running() ? rt::free_pool(pool) : -ENOTCONN;
}

int64_t weft_pool_size(weft_pool_t pool) {
  if (!rt::boot::running()) return -ENOTCONN;
  const rt::pool* p = rt::find_pool(pool);
  return p != nullptr ? p->size() : -EINVAL;
}

int weft_pool_ask_again(weft_pool_t pool) {
  if (!rt::boot::running()) return -ENOTCONN;
  rt::pool* p = rt::find_pool(pool);
  if (p == nullptr) return -EINVAL;
  p->servers().notify();
  return 0;
}

weft_task_t weft_pool_pop(weft_pool_t pool) {
  rt::worker* w = rt::picking_worker();
  rt::pool* p = w != nullptr ? rt::find_pool(pool) : nullptr;
  return reinterpret_cast<weft_task_t>(p != nullptr ? p->take(*w) : nullptr);
}

int weft_pool_push(weft_pool_t pool, weft_task_t task) {
  if (task == nullptr) return -EINVAL;
  const rt::worker* w = rt::picking_worker();
  if (w == nullptr) return -EPERM;
  rt::pool* p = rt::find_pool(pool);
  if (p == nullptr) return -EINVAL;
  return rt::move_to_pool(*w, reinterpret_cast<rt::task*>(task), *p);
}

void** weft_pool_link(weft_task_t task) {
  if (task == nullptr) return nullptr;
  return reinterpret_cast<void**>(&reinterpret_cast<rt::task*>(task)->next);
}

int weft_scheduler_create(const weft_scheduler_config_t* config, weft_scheduler_t* out) {
  if (config == nullptr || out == nullptr) return -EINVAL;
  rt::scheduler_plan plan;
  const int wrong = read_plan(*config, plan);
  if (wrong != 0) return wrong;
  if (!rt::boot::running()) return -ENOTCONN;
  rt::user_scheduler* made = nullptr;
  const int failed = rt::make_scheduler(plan, &made);
  if (failed == 0) *out = reinterpret_cast<weft_scheduler_t>(made);
  return failed;
}

int weft_scheduler_free(weft_scheduler_t scheduler) {
  if (scheduler == nullptr) return -EINVAL;
  if (!rt::boot::running()) return -ENOTCONN;
  rt::free_scheduler(of(scheduler));
  return 0;
}

int weft_worker_set_scheduler(uint32_t worker, weft_scheduler_t scheduler) {
  if (!rt::boot::running()) return -ENOTCONN;
  if (worker >= rt::the().count) return -ERANGE;
  return rt::set_scheduler(rt::the().workers[worker], of(scheduler));
}

__attribute__((noinline)) int weft_scheduler_run(weft_scheduler_t scheduler) {
  if (scheduler == nullptr) return -EINVAL;
  return rt::run_scheduler(*of(scheduler), WEFT_CALL_SITE);
}

int weft_scheduler_finish(weft_scheduler_t scheduler) {
  if (scheduler == nullptr) return -EINVAL;
  if (!rt::boot::running()) return -ENOTCONN;
  rt::finish_scheduler(*of(scheduler));
  return 0;
}
