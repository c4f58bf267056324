// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting and stopping: the environment becomes shepherds and workers of Weft.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <qthread/sinc.h>
#include <sched.h>

#include <weft/place.h>
#include <weft/runtime.h>

#include "fork_handlers.hpp"
#include "io_pool.hpp"
#include "places.hpp"
#include "polling.hpp"
#include "record.hpp"
#include "runtime.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

constexpr std::size_t least_stack_bytes = std::size_t{16} << 10;

std::mutex starting;
bool started_weft = false;  // under the lock
// Who initialised is no task, but this thread. Written under the lock, before `running`.
bool is_outsider = false;
pthread_t outsider{};

// Who forks has the locks of what the child goes on with, so that it finds them open and all whole.
void hold_for_fork() noexcept {
  hold_declared_locks();
  records.blocks.hold();
}
void let_go_after_fork() noexcept {
  records.blocks.let_go();
  let_declared_locks_go();
}

// A child of fork() has no runtime.
void begin_child() noexcept {
  let_go_after_fork();
  the.end();
  the.teams.store(0, std::memory_order_relaxed);
  new (&starting) std::mutex;  // perhaps somebody held it
  begin_child_places();
  begin_child_io_pool();
  begin_child_syscalls();
  begin_child_polling();
}

constinit fork_handlers<hold_for_fork, let_go_after_fork, begin_child> at_fork;

// HWPAR is how many workers are active: there are as many at each shepherd as that takes, and those
// beyond it begin disabled.
settings with_hwpar(settings o) noexcept {
  if (o.hwpar == 0) return o;
  if (o.shepherds == 0 && o.workers_per_shepherd != 0)
    o.shepherds = (o.hwpar - 1) / o.workers_per_shepherd + 1;
  if (o.shepherds == 0) return o;
  o.shepherds = std::min(o.shepherds, o.hwpar);
  o.workers_per_shepherd = (o.hwpar - 1) / o.shepherds + 1;
  return o;
}

// How many workers are asked for; 0: as many as Weft finds.
std::size_t workers_wanted(const settings& o) noexcept {
  if (o.shepherds != 0 && o.workers_per_shepherd != 0) {
    std::size_t workers = SIZE_MAX;  // too many, whatever the product is modulo that
    return __builtin_mul_overflow(o.shepherds, o.workers_per_shepherd, &workers) ? SIZE_MAX
                                                                                 : workers;
  }
  if (o.shepherds != 0) return o.shepherds;  // with one worker each
  return o.hwpar;                            // or all, in groups of workers_per_shepherd
}

bool is_set(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// A variable of Weft's for the time of a start, unless the environment has it. Empty counts as
// unset, as it does to Weft.
class weft_variable {
 public:
  weft_variable(const char* name, const char* value) noexcept
      : name_(value != nullptr && !is_set(name) ? name : nullptr),
        was_empty_(std::getenv(name) != nullptr) {
    if (name_ != nullptr) setenv(name_, value, 1);
  }
  ~weft_variable() {
    if (name_ == nullptr) return;
    if (was_empty_)
      setenv(name_, "", 1);
    else
      unsetenv(name_);
  }
  weft_variable(const weft_variable&) = delete;
  weft_variable& operator=(const weft_variable&) = delete;

 private:
  const char* const name_;
  const bool was_empty_;  // rather than unset
};

int start_weft(const settings& o, const weft_config_t& config) noexcept {
  char spin[24] = "";
  // Qthreads' loop takes some ten nanoseconds a turn.
  if (o.spin_count != no_count)
    std::snprintf(spin, sizeof spin, "%zu", std::min<std::size_t>(o.spin_count / 100, 1'000'000));
  const weft_variable watch("WEFT_SPIN_US", o.spin_count != no_count ? spin : nullptr);
  const weft_variable bind("WEFT_BIND", o.bound ? nullptr : "none");
  const weft_variable draw("WEFT_SHEPHERD", o.boundary);
  return weft_start(&config);
}

// What is asked for; 0: what Weft's environment says, or its default.
std::size_t stack_wanted(const settings& o) noexcept {
  if (o.stack_bytes == 0 || is_set("WEFT_STACK_SIZE")) return 0;
  return std::max(o.stack_bytes, least_stack_bytes);
}

// What a task has, of whoever started Weft.
std::size_t stack_in_force() noexcept {
  weft_stats_t stats{};
  stats.size = sizeof stats;
  (void)weft_stats_read(&stats);
  return stats.stack_bytes;
}

// with_ours: Weft was started for that, else it ran with so many workers.
void lay_out(const settings& o, uint32_t workers, bool with_ours) noexcept {
  std::size_t per = with_ours || o.shepherds == 0 ? o.workers_per_shepherd : 0;
  if (per == 0 && o.shepherds == 0 && o.boundary != nullptr)
    per = static_cast<std::size_t>(weft_shepherd_workers(0, nullptr));
  if (per == 0) per = o.shepherds != 0 ? (workers + o.shepherds - 1) / o.shepherds : 1;
  per = std::clamp<std::size_t>(per, 1, workers);
  the.per_shepherd = static_cast<uint32_t>(per);
  // Workers beyond the last whole shepherd form one more, smaller one.
  the.shepherds = static_cast<uint32_t>((workers + per - 1) / per);
  the.workers = workers;
}

void inform(const settings& o) noexcept {
  if (o.info == 0) return;
  std::printf("QTHREADS: Using %u Shepherds\n", the.shepherds);
  std::printf("QTHREADS: Using %u Workers per Shepherd\n", the.per_shepherd);
  std::printf("QTHREADS: Guard Pages Enabled\n");
  std::printf("QTHREADS: Using %zu byte stack size.\n", the.stack_bytes);
}

int start() noexcept {
  const settings o = with_hwpar(read_environment());
  weft_config_t config{};
  config.size = sizeof config;
  const std::size_t workers = workers_wanted(o);
  if (workers > most_workers) {
    std::fprintf(stderr, "QTHREADS: %zu workers are wanted; there can be %u\n", workers,
                 most_workers);
    return QTHREAD_BADARGS;
  }
  config.workers = static_cast<uint32_t>(workers);
  config.main_mode = WEFT_MAIN_WORKER;
  config.stack_bytes = stack_wanted(o);
  const bool was_worker = weft_worker_index() != WEFT_ANYWHERE;  // and may be bound
  const processors before = was_worker ? processors{} : processors::of_caller();
  const int failed = start_weft(o, config);
  if (failed != 0 && failed != -EALREADY)
    return failed == -EAGAIN ? QTHREAD_PTHREAD_ERROR : result_of(failed);
  started_weft = failed == 0;
  the.options = o;
  the.of_starter = before;
  the.stack_bytes = stack_in_force();
  if (the.stack_bytes < config.stack_bytes)
    std::fprintf(stderr,
                 "QTHREADS: QT_STACK_SIZE=%zu comes too late: Weft runs, with stacks of %zu\n",
                 config.stack_bytes, the.stack_bytes);
  lay_out(o, weft_worker_count(), started_weft);
  begin_places(o.hwpar);
  the.next_id.store(first_id, std::memory_order_relaxed);
  the.next_team.store(first_team, std::memory_order_relaxed);
  busy.reset();
  main_record = record{};
  main_record.mark = &record_mark;
  is_outsider = weft_task_set_record(&main_record) != 0;
  outsider = pthread_self();
  if (!is_outsider) busy.add(1);
  inform(o);
  return QTHREAD_SUCCESS;
}

// Whether the caller did, and Weft has its record as that task's if it is one.
bool has_initialised() noexcept {
  if (!is_outsider) return self() == &main_record;
  return weft_task_self() == nullptr && pthread_equal(outsider, pthread_self()) != 0;
}

// Of who forks a team now its end may find none.
void await_teams() noexcept {
  while (the.teams.load(std::memory_order_acquire) != 0) weft_task_yield();
}

// Qthreads finalizes when the process ends, so programs may leave their teams to that. No more of
// it happens here: Weft does nothing at exit, and a stop would wait for calls and for guests.
void await_teams_at_exit() noexcept {
  if (the.is_running() && has_initialised() && main_record.actions == 0) await_teams();
}

// Under the lock.
bool is_told_of_exit() noexcept {
  static bool told = false;
  if (!told) told = std::atexit([] { await_teams_at_exit(); }) == 0;
  return told;
}

// False: there are guests, or there is no memory for it. Then tasks that poll go on: a guest may
// wait for them.
bool try_to_stop() noexcept {
  if (!begin_stop()) return false;
  await_calls();
  const int r = weft_stop();
  const bool refused = r == -ENOMEM || r == -EBUSY;
  end_stop(refused);
  return !refused;
}

}  // namespace

}  // namespace weft::qt

namespace qt = weft::qt;

int qthread_initialize(void) {
  if (qt::the.is_running()) return QTHREAD_SUCCESS;  // perhaps a task
  if (!qt::at_fork.are_registered()) return QTHREAD_MALLOC_ERROR;
  const std::lock_guard held(qt::starting);
  if (qt::the.is_running()) return QTHREAD_SUCCESS;
  if (!qt::is_told_of_exit()) return QTHREAD_MALLOC_ERROR;
  const int r = qt::start();
  if (r == QTHREAD_SUCCESS) qt::the.begin();
  return r;
}

int qthread_init(qthread_shepherd_id_t nshepherds) {
  char text[16];
  std::snprintf(text, sizeof text, "%u", static_cast<unsigned>(nshepherds));
  if (setenv("QT_NUM_SHEPHERDS", text, 1) != 0) return QTHREAD_MALLOC_ERROR;
  if (setenv("QT_NUM_WORKERS_PER_SHEPHERD", "1", 1) != 0) return QTHREAD_MALLOC_ERROR;
  return qthread_initialize();
}

void qthread_finalize(void) {
  if (!qt::the.is_running() || !qt::has_initialised()) return;
  qt::await_teams();
  const std::lock_guard held(qt::starting);
  weft_task_set_record(nullptr);
  if (qt::started_weft) {
    // Until there is memory for it, and no guest of the program's any more.
    while (!qt::try_to_stop()) {
      weft_task_yield();  // a guest may wait for what this worker has
      sched_yield();
    }
    qt::the.teams.store(0, std::memory_order_relaxed);  // forked meanwhile, and left behind
  }
  qt::the.end();
  qt::end_places();
  std::free(qt::main_record.local);
  qt::main_record.local = nullptr;
  std::fflush(stdout);
}

// The flags are bits of Qthreads' own, which no header of it names: what ret is.
void qthread_call_method(qthread_f f, void* arg, void* ret, uint16_t flags) {
  constexpr unsigned is_syncvar = 1u << 2, is_sinc = 1u << 3, is_void_sinc = is_syncvar | is_sinc;
  if (f == nullptr) return;
  aligned_t value = f(arg);
  if (ret == nullptr) return;
  switch (flags & is_void_sinc) {
    case is_void_sinc:
      return qt_sinc_submit(static_cast<qt_sinc_t*>(ret), nullptr);
    case is_sinc:
      return qt_sinc_submit(static_cast<qt_sinc_t*>(ret), &value);
    case is_syncvar:
      qthread_syncvar_writeEF_const(static_cast<syncvar_t*>(ret), INT64TOINT60(value));
      return;
    default:
      qthread_writeEF_const(static_cast<aligned_t*>(ret), value);
  }
}

void qthread_flushsc(void) {}
