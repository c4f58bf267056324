// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the workers of the process share: one another, their shepherds, the census of the idle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "lockfree/idle_census.hpp"
#include "lockfree/quiescence.hpp"
#include "lockfree/time_keeper.hpp"
#include "mem/magazine.hpp"
#include "mem/stack.hpp"
#include "os/affinity.hpp"
#include "sched/shepherd.hpp"
#include "sched/task.hpp"
#include "sched/worker.hpp"
#include "topo/places.hpp"

namespace weft::rt {

// Where the OS threads of workers may run.
enum class binding { none, shepherd, worker };

// How one start is made; filled by boot/.
struct scheduler_options {
  topo::places* map = nullptr;  // taken, with its workers and shepherds
  binding bind = binding::none;
  os::cpu_set processors;  // of the thread that starts Weft; empty: the kernel does not say
  bool main_is_worker = true;
  bool membarrier = true;  // a process-wide barrier can be had
  bool sticky = false;     // residency of spawned tasks
  int64_t spin_ns = 50'000;
  stack_options stacks;
};

// Exists between start and stop.
struct scheduler {
  explicit scheduler(const scheduler_options& options) noexcept
      : census(!options.membarrier),
        count(options.map->workers),
        shepherd_count(options.map->shepherds),
        bind(options.bind),
        processors_at_start(options.processors),
        membarrier(options.membarrier),
        spin_ns(options.spin_ns),
        main_is_worker(options.main_is_worker) {
    map.take(*options.map);
  }

  // Read by every spawn, written when a worker goes idle or comes back.
  idle_census census;

  // Read by who arms a timer that is earlier than others, written by the idle.
  time_keeper keeper;

  // Set at start, then read only.
  alignas(line_bytes) worker* workers = nullptr;
  shepherd* shepherds = nullptr;
  const uint32_t count;
  const uint32_t shepherd_count;
  const binding bind;
  const os::cpu_set processors_at_start;  // what the process might use; empty: not known
  const bool membarrier;
  const int64_t spin_ns;  // of workers that were told nothing else
  const bool main_is_worker;
  topo::places map;
  object_pool<task> task_pool;
  stack_pool stacks;

  // Under the lock of takers.hpp.
  os::cpu_set allowed;           // the processors that threads may be bound to; empty: all
  uint32_t takers = UINT32_MAX;  // so many workers may take free tasks

  alignas(line_bytes) atomic<uint32_t> stopping{0};  // workers leave
  atomic<task*> drain_waiter{nullptr};               // who waits for the end of all work
  atomic<uint32_t> drained{0};                       // a guest's main waits here
  atomic<uint32_t> uncounted{0};                     // idle workers that the census does not count
  atomic<uint32_t> gone{0};     // workers without a thread: others see to their timers
  atomic<uint32_t> outside{0};  // tasks that threads outside run, or are about to
  nap_count napping;

  // The process-wide barrier: see barrier.cpp.
  alignas(line_bytes) atomic<int64_t> barrier_last_ns{0};
  atomic<uint64_t> barriers_begun{0};
  atomic<uint64_t> barriers_ended{0};
};

// Its place: static, so that the hot paths need no pointer; no constructor runs before start, so
// that static initialisers of the program may use Weft.
alignas(scheduler) extern std::byte scheduler_place[sizeof(scheduler)];
WEFT_ALWAYS_INLINE scheduler& the() noexcept {
  return *std::launder(reinterpret_cast<scheduler*>(scheduler_place));
}

inline uint32_t number_of(const shepherd& s) noexcept {
  return static_cast<uint32_t>(&s - the().shepherds);
}

// Whether the scheduler exists. boot/ sets it at the end of a start and clears it when a stop has
// drained.
bool running() noexcept;
void set_running(bool runs) noexcept;

// An address for TSan alone: every flow releases it when it ends or parks, weft_stop acquires it.
inline char flows_left;

// Workers 1..n (0..n in guest mode) start, the calling thread becomes worker 0 unless it is a
// guest. 0, -ENOMEM, -EAGAIN, -ENOTSUP (the guard asked for); on failure nothing is left behind.
[[nodiscard]] int start_workers(const scheduler_options& options) noexcept;
// By the thread that started, after drain(): stops the workers and gives everything back. The
// number of stacks that tasks were still parked on.
[[nodiscard]] int stop_workers() noexcept;

}  // namespace weft::rt
