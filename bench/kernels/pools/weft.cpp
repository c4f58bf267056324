// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pool of the program's own costs over the worker's own queue: 1,000 tasks are spawned, and
// the worker's loop runs them while their maker waits for the last. All are spawned by the same
// call, but for the place.
//
// So the default is what a task costs that really goes through the worker's queue, not one that a
// join calls in place, and the difference is all that a pool adds: besides its push and pop, asking
// for the pool at the spawn, asking the scheduler at the pick, and where the task belongs while it
// runs. pool_revoked is a shared pool whose tasks another worker took first and is the owner of, so
// that each push and pop holds the lock; pool_returned one whose owner is alone again, and has it
// without the lock after some thousand tasks.
#include "harness/weft.hpp"

#include <atomic>
#include <cstdint>

using namespace weft::bench;

namespace {

constexpr uint32_t batch = 1'000;
constexpr int64_t batches_full = 2'000;
constexpr int64_t batches_quick = 200;

constexpr bool has_pool = kernel_name != "pool_none";
constexpr bool is_revoked = kernel_name == "pool_revoked";
constexpr bool is_returned = kernel_name == "pool_returned";
constexpr uint32_t access = kernel_name == "pool_private"        ? WEFT_POOL_PRIVATE
                            : kernel_name == "pool_one_consumer" ? WEFT_POOL_ONE_CONSUMER
                                                                 : WEFT_POOL_SHARED;

struct counter {
  std::atomic<int64_t> ran{0};  // by one worker
  weft_latch_t* all = nullptr;
};

void* run(void* arg) {
  auto& c = *static_cast<counter*>(arg);
  const int64_t ran = c.ran.load(std::memory_order_relaxed) + 1;
  c.ran.store(ran, std::memory_order_release);
  if (ran % batch == 0) must(weft_latch_count_down(c.all, 1), "weft_latch_count_down");
  return nullptr;
}

// Worker 1 runs one task of the pool, and takes no part any more.
void serve_elsewhere(weft_pool_t pool, weft_scheduler_t scheduler) {
  must(weft_worker_set_scheduler(1, scheduler), "weft_worker_set_scheduler");
  weft_latch_t all;
  must(weft_latch_init(&all, 1), "weft_latch_init");
  counter one{{batch - 1}, &all};
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = pool;
  must(weft_task_spawn_with(run, &one, &how, nullptr), "weft_task_spawn_with");
  while (one.ran.load(std::memory_order_acquire) != batch) {  // a wait would run it here
  }
  must(weft_latch_wait(&all), "weft_latch_wait");
  must(weft_worker_set_scheduler(1, nullptr), "weft_worker_set_scheduler");
  must(weft_worker_disable(1), "weft_worker_disable");
}

uint32_t make_place() {
  if (!has_pool) return WEFT_ANYWHERE;
  weft_pool_config_t config{};
  config.size = sizeof config;
  config.access = access;
  weft_pool_t pool = 0;
  must(weft_pool_create(&config, &pool), "weft_pool_create");
  weft_scheduler_config_t of_pool{};
  of_pool.size = sizeof of_pool;
  of_pool.pools = &pool;
  of_pool.count = 1;
  weft_scheduler_t scheduler = nullptr;
  must(weft_scheduler_create(&of_pool, &scheduler), "weft_scheduler_create");
  if (is_revoked) serve_elsewhere(pool, scheduler);
  must(weft_worker_set_scheduler(0, scheduler), "weft_worker_set_scheduler");
  if (is_returned) serve_elsewhere(pool, scheduler);
  must(weft_scheduler_free(scheduler), "weft_scheduler_free");  // the worker holds it
  return pool;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t batches = out.opt().quick ? batches_quick : batches_full;
  start(out);
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = make_place();
  weft_task_yield();  // the worker follows the order
  const auto sample = [&] {
    counter c;
    const stopwatch watch;
    for (int64_t i = 0; i < batches; ++i) {
      weft_latch_t all;
      must(weft_latch_init(&all, 1), "weft_latch_init");
      c.all = &all;
      for (uint32_t k = 0; k < batch; ++k)
        must(weft_task_spawn_with(run, &c, &how, nullptr), "weft_task_spawn_with");
      must(weft_latch_wait(&all), "weft_latch_wait");
    }
    const double ns = watch.ns() / static_cast<double>(batches * batch);
    out.check("tasks that ran", c.ran.load(), batches * batch);
    return ns;
  };
  (void)sample();
  while (out.more()) out.add(sample());
  stop(out);
  return out.finish();
}
