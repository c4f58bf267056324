// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of HPX: its lightweight threads, each with a future, as its manual makes and waits for
// them.
//
// Where work is stolen by its default scheduler; where the kernel places its units by the one that
// steals nothing, with hints. HPX would leave the processors that it is given unless it is told to
// keep to the mask of its process.
#pragma once

#include <hpx/condition_variable.hpp>
#include <hpx/future.hpp>
#include <hpx/init.hpp>
#include <hpx/mutex.hpp>
#include <hpx/thread.hpp>
#include <string>
#include <thread>
#include <vector>

#include "adapters/condition_semaphore.hpp"
#include "adapters/queues.hpp"
#include "harness/report.hpp"

namespace weft::bench {

inline constexpr const char* how = "from a thread of HPX";

template <class Body>
void in_runtime(uint32_t workers, queues kind, Body body) {
  if (workers > std::thread::hardware_concurrency())
    die("HPX has no more workers than its process has processors");
  hpx::local::init_params how_to_start;
  how_to_start.cfg = {
      "hpx.os_threads=" + std::to_string(workers), "hpx.use_process_mask!=1",
      kind == queues::own ? "hpx.scheduler=static-priority" : "hpx.scheduler=local-priority-fifo"};
  if (unit_stack_bytes != 0)
    how_to_start.cfg.push_back("hpx.stacks.small_size=" + std::to_string(unit_stack_bytes));
  char name[] = "bench";
  char* arguments[] = {name, nullptr};
  const auto run = [&body](int /*argc*/, char** /*argv*/) {
    body();
    return hpx::local::finalize();
  };
  if (hpx::local::init(run, 1, arguments, how_to_start) != 0) die("hpx::local::init failed");
}

class unit {
 public:
  template <void (*Run)(void*)>
  void spawn(void* arg) {
    self_ = hpx::async(Run, arg);
  }

  template <void (*Run)(void*)>
  void spawn_on(uint32_t worker, void* arg) {
    auto there = hpx::launch::async;
    there.set_hint(hpx::threads::thread_schedule_hint(static_cast<int16_t>(worker)));
    self_ = hpx::async(there, Run, arg);
  }

  void join() { self_.get(); }

 private:
  hpx::future<void> self_;
};

using leaf = unit;

inline void yield() { hpx::this_thread::yield(); }

using unit_mutex = hpx::mutex;

using unit_semaphore = condition_semaphore<unit_mutex, hpx::condition_variable_any>;

}  // namespace weft::bench

#include "adapters/units.hpp"
