// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place that starts and stops everything: options, barrier, overflow report, workers,
// forks.
//
// What outlives a stop is here, too: the lock, and what the system was told once (fork, a thread's
// end). No thread is waited for in fork(): a child takes the state as new, whatever the other
// threads were at.
#include "boot/boot.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <sched.h>

#include "base/sized.hpp"
#include "boot/follow.hpp"
#include "boot/places.hpp"
#include "boot/refuse.hpp"
#include "conf/describe.hpp"
#include "conf/read.hpp"
#include "io/fd.hpp"
#include "mem/overflow.hpp"
#include "os/affinity.hpp"
#include "os/copies.hpp"
#include "os/membarrier.hpp"
#include "os/process.hpp"
#include "os/thread.hpp"
#include "par/loop.hpp"
#include "sched/child.hpp"
#include "sched/describe.hpp"
#include "sched/drain.hpp"
#include "sched/ending.hpp"
#include "sched/guest.hpp"
#include "sched/outside.hpp"
#include "sched/presence.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sync/solo.hpp"
#include "sync/word.hpp"
#include "topo/read.hpp"

namespace weft::rt::boot {

namespace {

constinit std::mutex starting;
constinit os::thread_id starter{};  // under `starting`, as all that follows
constinit bool starter_is_worker = false;

// In a child of fork(), on its one thread: as if nothing had ever been started.
void begin_child() noexcept {
  std::construct_at(&starting);  // perhaps somebody held it
  os::release_process();
  uninstall_overflow_reporter();
  topo::forget_machine();
  forget_following();
  abandon_runtime();
}

// Guests came, or tasks became ready, since the drain.
bool must_drain_again() noexcept { return guests_are_here() || !is_drained(); }

// starter_alone: by no other thread, even where any may.
int stop_by_caller(bool starter_alone) noexcept {
  if (!running()) return -ENOTCONN;
  if (const worker* w = self(); w != nullptr) {
    const task* me = current_task(w);  // null in a pick
    if (me == nullptr || !me->has(flag_main)) return -EPERM;
    // Who has the lock may be draining, and waits for all workers: they may not wait for the lock.
    if (is_guest(*w)) return the().main_is_worker ? -EPERM : -EBUSY;
  }
  if (visited() != nullptr) return -EPERM;  // a task's end is waited for
  const std::lock_guard lock(starting);
  if (!running()) return -ENOTCONN;
  if ((starter_is_worker || starter_alone) && !os::same_thread(starter, os::this_thread()))
    return -EPERM;
  // Tasks run until the drain is over, and for them everything is as before: they ask running(),
  // too.
  do {
    if (guests_are_here()) return -EBUSY;
    const int failed = drain();
    if (failed != 0) return failed;
  } while (!end_running(must_drain_again));
  stop_following();
  uninstall_overflow_reporter();
  fd_stop();
  await_stays();
  words_forget_tasks();  // their stacks go
  const int left = stop_workers();
  os::release_process();
  return left;
}

// The thread that started Weft ends without having stopped it. Worker 0 would have no thread any
// more; and where the process's first thread ends, the process goes on until its last thread has
// ended. Guests are waited for as tasks are: nobody is there who could be told -EBUSY, and try
// again. As a guest itself, the thread would wait for its own end.
void stop_at_thread_end() noexcept {
  if (const int failed = end_guest(); failed != 0 && failed != -EPERM) return;
  for (;;) {
    int failed = stop_by_caller(true);
    if (failed != -EBUSY && failed != -ENOMEM) return;
    if (failed == -EBUSY) failed = await_guests();
    if (failed == -ENOMEM) sched_yield();
  }
}

bool by_caller(conf::values& v, conf::option_id which, uint64_t value, conf::error& why) noexcept {
  return value == 0 || conf::set_by_caller(v, which, value, why) == conf::result::ok;
}

// The environment first, then what the caller of weft_start says. False: one line was written.
bool read_options(const weft_config_t* given, conf::values& v) noexcept {
  conf::error why;
  bool ok = conf::read(v, why) == conf::result::ok;
  if (ok && given != nullptr) {
    weft_config_t config{};
    std::memcpy(&config, given, given->size < sizeof config ? given->size : sizeof config);
    ok = by_caller(v, conf::option_id::workers, config.workers, why) &&
         by_caller(v, conf::option_id::main, config.main_mode, why) &&
         by_caller(v, conf::option_id::stack_size, config.stack_bytes, why);
  }
  if (!ok) {
    why.line.write_to_stderr();  // nothing was written to v
    return false;
  }
  // With more workers than CPUs a watcher would only keep another worker from running.
  if (v.spin_us.from == conf::source::built_in && v.workers.value > v.cpus.count)
    v.spin_us.value = 0;
  return true;
}

scheduler_options plan(const conf::values& v, chosen_places& places, const os::cpu_set& mask,
                       bool barrier) noexcept {
  scheduler_options o;
  o.map = &places.map;
  o.bind = places.bind;
  o.processors = mask;
  o.main_is_worker = v.main.value == conf::main_mode::worker;
  o.membarrier = barrier;
  o.sticky = v.sticky.value;
  o.spin_ns = int64_t{v.spin_us.value} * 1000;
  o.stacks.promised_bytes = v.stack_bytes.value;
  o.stacks.guard_bytes = v.guard_bytes.value;
  o.stacks.guard = static_cast<guard_kind>(v.guard.value);
  o.stacks.cached = v.stack_cache.value;
  return o;
}

void inform(const conf::values& v, const os::text& places, bool barrier, bool restarts) noexcept {
  conf::describe(v, conf::to_stderr, nullptr);
  os::text line;
  line.add("weft: places: ").add(places.c_str());
  conf::to_stderr(nullptr, line.c_str());
  line.clear();
  line.add("weft: guard of stacks: ").add(the().stacks.guard_text());
  conf::to_stderr(nullptr, line.c_str());
  conf::to_stderr(nullptr,
                  barrier ? "weft: process-wide barrier: yes, so that owners of queues pay no fence"
                          : "weft: process-wide barrier: no, so that owners of queues pay a fence");
  conf::to_stderr(nullptr,
                  restarts ? "weft: restartable stores: yes, so that a mutex that one flow at a "
                             "time wants is unlocked by one"
                           : "weft: restartable stores: no, so that a mutex is unlocked by an "
                             "exchange");
}

// Before anything is done that a fork must not cut in two, and before the lock is taken: without
// it a child that another thread forks meanwhile would find that held. False: no memory.
bool tell_of_forks() noexcept {
  static constinit os::child_call call(begin_child);
  return call.is_registered();
}

// mask: the caller's before it became a worker.
int follow_if_wanted(const conf::values& v, const os::cpu_set& mask, binding bind) noexcept {
  if (!v.follow_cpus.value) return 0;
  watched_masks masks;
  if (v.main.value == conf::main_mode::worker && bind == binding::none)
    masks.starter = os::thread_number();
  return start_following({mask, v.cpus.count}, masks);
}

int start_claimed(const conf::values& v) noexcept {
  const bool as_worker = v.main.value == conf::main_mode::worker;
  if ((as_worker || os::is_first_thread()) && !os::at_thread_end(stop_at_thread_end))
    return -ENOMEM;
  const bool barrier =
      v.membarrier.value == conf::membarrier_mode::automatic && os::membarrier_register();
  chosen_places places;
  int failed = choose_places(v, places);
  if (failed != 0) return failed;
  os::cpu_set mask;
  const bool can_bind = os::get_affinity(mask);
  os::text places_text;
  add_places(places_text, places, can_bind);
  const binding bind = places.bind;
  const bool restarts = solo::allow(barrier);
  failed = start_workers(plan(v, places, mask, barrier));
  if (failed == -ENOTSUP)
    return refuse(v, conf::option_id::guard,
                  "this system, or this memory, has no such guard; give auto");
  if (failed != 0) return failed;
  failed = follow_if_wanted(v, mask, bind);
  if (failed != 0) {
    (void)stop_workers();
    return failed;
  }
  starter = os::this_thread();
  starter_is_worker = as_worker;
  (void)install_overflow_reporter(the().stacks, describe_stack_user, stack_of_this_thread);
  set_default_schedule(static_cast<loop_schedule>(v.loop_schedule.value));
  set_running(true);
  if (v.info.value) inform(v, places_text, barrier, restarts);
  return 0;
}

int start_locked(const weft_config_t* config, bool may_adopt) noexcept {
  conf::values v;
  if (!read_options(config, v)) return -EINVAL;
  if (!may_adopt) v.main.value = conf::main_mode::guest;
  if (const char* other = os::claim_process()) {
    os::text line;
    line.add("weft: another copy of Weft runs in this process, in ");
    line.add(*other != '\0' ? other : "the program itself");
    line.add(": link all of it to one libweft.so\n");
    line.write_to_stderr();
    return -EEXIST;
  }
  const int failed = start_claimed(v);
  if (failed != 0) os::release_process();
  return failed;
}

}  // namespace

bool running() noexcept { return rt::running(); }

int start(const weft_config_t* config) noexcept {
  if (running()) return -EALREADY;  // perhaps a task, while weft_stop holds the lock and drains
  if (!tell_of_forks()) return -ENOMEM;
  const std::lock_guard lock(starting);
  if (running()) return -EALREADY;
  if (config != nullptr && !size_is_good(*config)) {
    os::text line;
    line.add("weft: weft_start: weft_config_t.size is ").decimal(config->size);
    line.add(": give sizeof(weft_config_t); this library knows ").decimal(sizeof(weft_config_t));
    line.add(" bytes\n");
    line.write_to_stderr();
    return -EINVAL;
  }
  return start_locked(config, true);
}

int ensure_started() noexcept {
  if (running()) return 0;
  if (!tell_of_forks()) return -ENOMEM;
  const std::lock_guard lock(starting);
  if (running()) return 0;
  return start_locked(nullptr, os::is_first_thread());
}

int stop() noexcept { return stop_by_caller(false); }

}  // namespace weft::rt::boot
