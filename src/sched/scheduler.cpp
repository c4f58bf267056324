// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts the workers and stops them.
//
// Orders
//   X1 -> X2   the stopper's word to the workers
//   A1 -> A2   a start publishes the runtime to threads that ask whether it runs
#include "sched/scheduler.hpp"

#include <algorithm>
#include <cerrno>

#include "mem/raw.hpp"
#include "sched/apart.hpp"
#include "sched/extra.hpp"
#include "sched/guest.hpp"
#include "sched/message.hpp"
#include "sched/outside.hpp"
#include "sched/pool.hpp"
#include "sched/serving.hpp"
#include "sched/worker_thread.hpp"

namespace weft::rt {

alignas(scheduler) std::byte scheduler_place[sizeof(scheduler)];

namespace {

constinit atomic<uint32_t> runs{0};

// The calling thread becomes worker 0, and what runs on it its first task.
int adopt_main(worker& w) noexcept {
  if (adopt_flow(w) == nullptr) return -ENOMEM;
  bind_thread(w);
  return 0;
}

void stop_threads(uint32_t started_below) noexcept {
  the().stopping.store_seq_cst(1);  // X1 -> X2
  const uint32_t first = the().main_is_worker ? 1 : 0;
  for (uint32_t i = first; i < started_below; ++i) {
    worker& w = the().workers[i];
    if (w.wake.call() == wake_result::must_wake) wake_thread(w);
  }
  for (uint32_t i = first; i < started_below; ++i) the().workers[i].thread.join();
  await_visitors();
  await_visits();
}

void dismantle_shepherds() noexcept {
  for (uint32_t i = 0; i < the().shepherd_count; ++i) the().shepherds[i].~shepherd();
  raw_free(the().shepherds, the().shepherd_count * sizeof(shepherd));
}

// Gives back everything but the threads; returns the number of stacks that were still in use.
int dismantle() noexcept {
  forget_schedulers();
  forget_pools();
  forget_messages();
  for (uint32_t i = 0; i < the().count; ++i) {
    detach_caches(the().workers[i]);
  }
  const auto left = static_cast<int>(the().stacks.live());
  // Descriptors and stacks go with their pools, but not what tasks that are abandoned, or were not
  // joined, have in the heap.
  abandon_extras();
  for (uint32_t i = 0; i < the().count; ++i) the().workers[i].~worker();
  raw_free(the().workers, the().count * sizeof(worker));
  dismantle_shepherds();
  the().~scheduler();
  return left;
}

int make_shepherds() noexcept {
  const uint32_t n = the().shepherd_count;
  void* memory = raw_alloc(n * sizeof(shepherd));
  if (memory == nullptr) return -ENOMEM;
  the().shepherds = static_cast<shepherd*>(memory);
  const topo::places& map = the().map;
  for (uint32_t i = 0; i < n; ++i) {
    auto* s = new (the().shepherds + i) shepherd;
    s->first = map.first[i];
    s->count = map.first[i + 1] - map.first[i];
    s->near = &map.near[std::size_t{i} * n];
  }
  return 0;
}

int make_workers() noexcept {
  void* memory = raw_alloc(the().count * sizeof(worker));
  if (memory == nullptr) return -ENOMEM;
  the().workers = static_cast<worker*>(memory);
  for (uint32_t s = 0; s < the().shepherd_count; ++s) {
    shepherd& herd = the().shepherds[s];
    for (uint32_t i = herd.first; i < herd.first + herd.count; ++i) {
      worker* w =
          new (the().workers + i) worker(i, herd, !the().membarrier, the().census, the().spin_ns);
      w->random.set(0x9e3779b97f4a7c15u * (i + 1));
      attach_caches(*w);
    }
  }
  return 0;
}

// -ENOMEM: nothing is left.
int make_places() noexcept {
  int failed = make_shepherds();
  if (failed != 0) return failed;
  failed = make_workers();
  if (failed != 0) dismantle_shepherds();
  return failed;
}

}  // namespace

bool running() noexcept { return runs.load_acquire() != 0; }  // A2 <- A1

void set_running(bool now) noexcept { runs.store_release(now ? 1 : 0); }  // A1 -> A2

int start_workers(const scheduler_options& options) noexcept {
  default_task_flags.set(options.sticky ? uint32_t{flag_sticky} : 0u);
  notes::forget(scheduler_place,
                scheduler_place + sizeof scheduler_place);  // an earlier one was here
  new (scheduler_place) scheduler(options);
  int failed = the().stacks.start(options.stacks);
  if (failed == 0) failed = make_places();
  if (failed != 0) {
    the().~scheduler();
    return failed;
  }
  uint32_t started = options.main_is_worker ? 1 : 0;
  if (options.main_is_worker) failed = adopt_main(the().workers[0]);
  const bool adopted = options.main_is_worker && failed == 0;
  if (adopted) failed = prepare_thread(the().workers[0]);  // who stops needs a stack, too
  for (; failed == 0 && started < the().count; ++started) {
    worker& w = the().workers[started];
    failed = start_thread(w);
    if (failed != 0) break;
  }
  if (failed == 0) return 0;
  stop_threads(started);
  if (adopted) release_flow(the().workers[0]);
  dismantle();
  return failed;
}

int stop_workers() noexcept {
  stop_threads(the().count);
  notes::acquire(&flows_left);
  if (the().main_is_worker) release_flow(the().workers[0]);
  return dismantle();
}

}  // namespace weft::rt
