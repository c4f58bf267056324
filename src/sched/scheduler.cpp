// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts the workers and stops them.
//
// Orders
//   X1 -> X2   the stopper's word to the workers
//   A1 -> A2   a start publishes the runtime to threads that ask whether it runs
#include "sched/scheduler.hpp"

#include <algorithm>
#include <cerrno>

#include "arch/cpu.hpp"
#include "base/check.hpp"
#include "mem/raw.hpp"
#include "os/futex.hpp"
#include "os/thread_bounds.hpp"
#include "sched/finish.hpp"
#include "sched/switch.hpp"

namespace weft::rt {

alignas(scheduler) std::byte scheduler_place[sizeof(scheduler)];

namespace {

constexpr std::size_t worker_stack_bytes = std::size_t{256} * 1024;
constexpr uint32_t search_rounds = 32;         // some microseconds
constexpr uint32_t search_rounds_crowded = 4;  // more workers than CPUs: others need this one

constinit atomic<uint32_t> runs{0};

// Written once, before any task comes here. TSan knows no order to those that come from other workers.
template <class T>
void forget_writes(T& t) noexcept {
  constexpr std::uintptr_t unit = 8;
  const auto low = reinterpret_cast<std::uintptr_t>(&t) / unit * unit;
  const auto high = (reinterpret_cast<std::uintptr_t>(&t + 1) + unit - 1) / unit * unit;
  notes::forget(reinterpret_cast<void*>(low), reinterpret_cast<void*>(high));
}

// The bounds of what the calling thread stands on. A thread may stand on memory that the system does not
// know for its stack: on a coroutine's, or, in the child of a fork() by a task, on that task's. Then
// nothing may be called inline there, and nothing below be given back.
void bound_os_stack(stack& s, std::size_t promised_bytes) noexcept {
  const os::bounds own = os::thread_stack_bounds();
  std::byte* here = arch::stack_pointer();
  if (here <= own.low || here > own.high) {
    // Above every stack pointer, so that nothing is left of it.
    s.low = reinterpret_cast<std::byte*>(INTPTR_MAX / 16 * 16);
    s.high = s.low;
    s.inline_floor = reinterpret_cast<std::byte*>(UINTPTR_MAX);
    return;
  }
  s.low = own.low;
  s.high = own.high;
  s.inline_floor =
      own.low +
      std::min<std::size_t>(2 * promised_bytes, static_cast<std::size_t>(own.high - own.low) / 2);
}

// What belongs to the OS thread. The calling thread is w's.
void attach_thread(worker& w, std::size_t promised_bytes) noexcept {
  set_self(&w);
  w.exceptions = thread_exception_state();
  w.fp_default = arch::read_fp_control();
  notes::adopt_thread_stack(w.os_stack.note);
  bound_os_stack(w.os_stack, promised_bytes);
  w.os_stack.home.set(w.index);
  w.os_stack.loop_flow.adopt_current();
  forget_writes(w.exceptions);
  forget_writes(*w.exceptions);
  forget_writes(w.fp_default);
  forget_writes(w.os_stack);
  w.nobody.create("weft maker of flows");
  (void)w.overflow_stack.attach();  // without one an overflow dies without its report
}

// The processors that a worker may run on; false: any.
bool bounds(uint32_t worker, os::cpu_set& out) noexcept {
  const topo::places& map = the().map;
  if (the().bind == binding::none) return false;
  if (the().bind == binding::worker) {
    out.add(map.processor[worker]);
    return true;
  }
  const uint32_t s = map.shepherd_of(worker);
  for (uint32_t i = map.of_first[s]; i < map.of_last[s]; ++i) out.add(map.all[i]);
  return true;
}

// The calling thread is w's. Where these processors were taken from the process meanwhile, it stays unbound.
void bind_thread(const worker& w) noexcept {
  os::cpu_set to;
  if (bounds(w.index, to)) (void)os::set_affinity(to);
}

void detach_thread(worker& w) noexcept {
  w.nobody.destroy();
  w.overflow_stack.detach();
  set_self(nullptr);
}

void worker_thread(void* argument) noexcept {
  worker& w = *static_cast<worker*>(argument);
  bind_thread(w);  // before it touches what is its own
  attach_thread(w, the().stacks.options().promised_bytes);
  WEFT_CHECK(run_worker(w) == 0, "the worker's first stack was put by at its start");
  detach_thread(w);
}

void* main_task(void*) { return nullptr; }

// The calling thread becomes worker 0, and what runs on it its first task.
int adopt_main(worker& w) noexcept {
  attach_thread(w, the().stacks.options().promised_bytes);
  task* t = w.tasks.get();
  if (t == nullptr) {
    detach_thread(w);
    return -ENOMEM;
  }
  t->fn.set(main_task);
  t->value.set(nullptr);
  t->state.raise(flag_sticky | flag_main);
  t->state.set_home(0);
  t->flow.adopt_current();
  w.current.set(t);
  w.on.set(&w.os_stack);
  w.inline_floor.set(w.os_stack.inline_floor);
  if (the().bind != binding::none && os::get_affinity(the().main_affinity)) bind_thread(w);
  return 0;
}

void release_main(worker& w) noexcept {
  release_task(&w, w.current.get());
  w.current.set(nullptr);
  if (the().bind != binding::none && the().main_affinity.count() > 0)
    (void)os::set_affinity(the().main_affinity);
  detach_thread(w);
}

// For the loop of a worker whose thread does not run yet: there nobody could be told that there are none.
int put_stacks_by(worker& w) noexcept {
  stack* first = w.stacks.get();
  if (first == nullptr) return -ENOMEM;
  w.stacks.put(first);
  return 0;
}

void stop_threads(uint32_t started_below) noexcept {
  the().stopping.store_seq_cst(1);  // X1 -> X2
  const uint32_t first = the().main_is_worker ? 1 : 0;
  for (uint32_t i = first; i < started_below; ++i) {
    worker& w = the().workers[i];
    if (w.wake.call() == wake_result::must_wake) os::futex_wake(w.wake.futex(), 1);
  }
  for (uint32_t i = first; i < started_below; ++i) the().workers[i].thread.join();
}

void dismantle_shepherds() noexcept {
  for (uint32_t i = 0; i < the().shepherd_count; ++i) the().shepherds[i].~shepherd();
  raw_free(the().shepherds, the().shepherd_count * sizeof(shepherd));
}

// Gives back everything but the threads; returns the number of stacks that were still in use.
int dismantle() noexcept {
  for (uint32_t i = 0; i < the().count; ++i) {
    the().workers[i].tasks.detach();
    the().workers[i].stacks.detach();
  }
  const auto left = static_cast<int>(the().stacks.live());
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
      worker* w = new (the().workers + i) worker(i, herd, !the().membarrier, the().census);
      w->random.set(0x9e3779b97f4a7c15u * (i + 1));
      w->tasks.attach(the().task_pool);
      w->stacks.attach(the().stacks);
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
  new (scheduler_place)
      scheduler(options, options.spin_ns > 0 ? search_rounds : search_rounds_crowded);
  int failed = the().stacks.start(options.stacks);
  if (failed == 0) failed = make_places();
  if (failed != 0) {
    the().~scheduler();
    return failed;
  }
  uint32_t started = options.main_is_worker ? 1 : 0;
  if (options.main_is_worker) failed = adopt_main(the().workers[0]);
  const bool adopted = options.main_is_worker && failed == 0;
  for (; failed == 0 && started < the().count; ++started) {
    worker& w = the().workers[started];
    failed = put_stacks_by(w);
    if (failed != 0) break;
    failed = w.thread.start(worker_thread, &w, "weft-worker", worker_stack_bytes);
    if (failed != 0) break;
  }
  if (failed == 0) return 0;
  stop_threads(started);
  if (adopted) release_main(the().workers[0]);
  dismantle();
  return failed;
}

int stop_workers() noexcept {
  stop_threads(the().count);
  notes::acquire(&flows_left);
  if (the().main_is_worker) release_main(the().workers[0]);
  return dismantle();
}

}  // namespace weft::rt
