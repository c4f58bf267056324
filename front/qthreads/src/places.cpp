// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shepherds and workers: which is whose, which take tasks, how far they are, and going there.
#include "places.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include <weft/place.h>
#include <weft/task.h>

#include "record.hpp"
#include "runtime.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

// Of each worker: whether it takes tasks; whose turn it is at its shepherd.
std::atomic<bool> disabled_worker[most_workers];
std::atomic<bool> disabled_shepherd[most_workers];
std::atomic<uint32_t> turn_in[most_workers];
std::atomic<uint32_t> turn_from[most_workers + 1];
std::mutex disabling;  // the two above, and what Weft is told of them
// For each shepherd all others, nearest first. Not freed by the end of the process, where workers
// may still look at it.
qthread_shepherd_id_t* sorted = nullptr;

constexpr int usual_distance = 10;

uint32_t first_of(uint32_t shepherd) noexcept { return shepherd * the.per_shepherd; }

uint32_t workers_of(uint32_t shepherd) noexcept {
  const uint32_t left = the.workers - first_of(shepherd);
  return left < the.per_shepherd ? left : the.per_shepherd;
}

// Where workers are counted to be switched on and off, the first ones of all shepherds come first,
// then the second ones: so some are left everywhere. `the.workers`: there is no such one.
uint32_t worker_counted(std::size_t i) noexcept {
  const auto shepherd = static_cast<uint32_t>(i % the.shepherds);
  const std::size_t inside = i / the.shepherds;
  return inside < workers_of(shepherd) ? first_of(shepherd) + static_cast<uint32_t>(inside)
                                       : the.workers;
}

// A shepherd may have fewer workers than others, so there are counts without a worker before the
// last that has one.
std::size_t worker_counts() noexcept { return std::size_t{the.shepherds} * the.per_shepherd; }

bool takes_tasks(uint32_t shepherd) noexcept {
  if (disabled_shepherd[shepherd].load(std::memory_order_relaxed)) return false;
  for (uint32_t i = 0; i < workers_of(shepherd); ++i)
    if (!disabled_worker[first_of(shepherd) + i].load(std::memory_order_relaxed)) return true;
  return false;
}

// Shepherd 0 is never disabled, so there is one.
uint32_t nearest_that_takes(uint32_t shepherd) noexcept {
  for (uint32_t i = 0; i < the.shepherds; ++i) {
    const uint32_t s = (shepherd + i) % the.shepherds;
    if (takes_tasks(s)) return s;
  }
  return 0;
}

// Of two different ones, by the places of their first workers. Where those are in one of Weft's
// shepherds there is nothing to tell them apart by.
int distance(uint32_t from, uint32_t to) noexcept {
  const auto place = [](uint32_t s) {
    return static_cast<uint32_t>(weft_worker_shepherd(first_of(s)));
  };
  const int apart = weft_shepherd_distance(place(from), place(to));
  return apart > 0 ? apart : usual_distance;
}

bool is_off(uint32_t worker) noexcept {
  return disabled_worker[worker].load(std::memory_order_relaxed) ||
         disabled_shepherd[worker / the.per_shepherd].load(std::memory_order_relaxed);
}

// Under `disabling`, after a change: a worker that is off runs what is bound to it, and nothing
// else.
void tell_weft(uint32_t worker) noexcept {
  const bool off = is_off(worker);
  // Worker 0 is never off, so there is one.
  (void)(off ? weft_worker_disable(worker) : weft_worker_enable(worker));
}

void set_shepherd(uint32_t shepherd, bool off) noexcept {
  const std::lock_guard held(disabling);
  disabled_shepherd[shepherd].store(off, std::memory_order_relaxed);
  for (uint32_t i = 0; i < workers_of(shepherd); ++i) tell_weft(first_of(shepherd) + i);
}

void set_worker(uint32_t worker, bool off) noexcept {
  const std::lock_guard held(disabling);
  disabled_worker[worker].store(off, std::memory_order_relaxed);
  tell_weft(worker);
}

bool is_shepherd(uint32_t shepherd) noexcept {
  return the.is_running() && shepherd < the.shepherds;
}

}  // namespace

void begin_places(std::size_t hwpar) noexcept {
  for (uint32_t i = 0; i < most_workers; ++i) {
    disabled_worker[i].store(false, std::memory_order_relaxed);
    disabled_shepherd[i].store(false, std::memory_order_relaxed);
    turn_in[i].store(0, std::memory_order_relaxed);
    turn_from[i].store(0, std::memory_order_relaxed);
  }
  turn_from[most_workers].store(0, std::memory_order_relaxed);
  for (std::size_t i = 0, active = 0; hwpar != 0 && i < worker_counts(); ++i)
    if (const uint32_t w = worker_counted(i); w != the.workers && ++active > hwpar)
      set_worker(w, true);
  const std::size_t n = the.shepherds;
  sorted = n > 1 ? new (std::nothrow) qthread_shepherd_id_t[n * (n - 1)] : nullptr;
  if (sorted == nullptr) return;
  for (uint32_t from = 0; from < n; ++from) {
    qthread_shepherd_id_t* const row = &sorted[from * (n - 1)];
    for (uint32_t i = 1; i < n; ++i)
      row[i - 1] = static_cast<qthread_shepherd_id_t>((from + i) % n);
    const auto rank = [&](uint32_t s) { return std::pair(distance(from, s), (s + n - from) % n); };
    std::sort(row, row + n - 1, [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
  }
}

void end_places() noexcept {
  // Where Weft goes on without us, or nothing happens.
  for (uint32_t i = 1; i < the.workers; ++i) (void)weft_worker_enable(i);
  delete[] std::exchange(sorted, nullptr);
}

void begin_child_places() noexcept { new (&disabling) std::mutex; }

uint32_t worker_for(uint32_t shepherd) noexcept {
  shepherd = nearest_that_takes(shepherd);
  const uint32_t n = workers_of(shepherd);
  if (n == 1) return first_of(shepherd);
  const uint32_t turn = turn_in[shepherd].fetch_add(1, std::memory_order_relaxed);
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t w = first_of(shepherd) + (turn + i) % n;
    if (!disabled_worker[w].load(std::memory_order_relaxed)) return w;
  }
  return first_of(shepherd);
}

uint32_t workers_in_turn::next() noexcept {
  const std::size_t n = worker_counts();
  for (std::size_t tries = 0; tries < n; ++tries) {
    const uint32_t w = worker_counted(at_++ % n);
    if (w != the.workers && !is_off(w)) return w;
  }
  return 0;  // is never off; it was a moment ago that another was not
}

uint32_t current_shepherd() noexcept {
  const uint32_t worker = worker_index();
  return the.is_running() && worker < the.workers ? worker / the.per_shepherd : NO_SHEPHERD;
}

uint32_t current_shepherd(const record* caller) noexcept {
  return caller != nullptr && caller->actions == 0 ? current_shepherd() : NO_SHEPHERD;
}

namespace {

// Where workers_in_turn would have it. If that cannot be, it stays where it is.
[[gnu::cold, gnu::noinline]] void settle_part(record& me) noexcept {
  workers_in_turn turns;
  uint32_t worker = 0;
  for (uint32_t left = std::exchange(me.part, 0); left != 0; --left) worker = turns.next();
  (void)qthread_migrate_to(static_cast<qthread_shepherd_id_t>(worker / the.per_shepherd));
}

}  // namespace

uint32_t next_shepherd() noexcept {
  const uint32_t here = current_shepherd();
  std::atomic<uint32_t>& turn = turn_from[here != NO_SHEPHERD ? here : most_workers];
  return turn.fetch_add(1, std::memory_order_relaxed) % the.shepherds;
}

}  // namespace weft::qt

namespace qt = weft::qt;

qthread_shepherd_id_t qthread_shep(void) {
  qt::record* const me = qt::self();
  if (me != nullptr && me->part != 0 && me->actions == 0) [[unlikely]]
    qt::settle_part(*me);
  return static_cast<qthread_shepherd_id_t>(qt::current_shepherd(me));
}

qthread_worker_id_t qthread_worker(qthread_shepherd_id_t* s) {
  const qthread_shepherd_id_t shepherd = qthread_shep();
  if (s != nullptr) *s = shepherd;
  return shepherd == NO_SHEPHERD ? NO_WORKER
                                 : static_cast<qthread_worker_id_t>(weft_worker_index());
}

qthread_worker_id_t qthread_worker_unique(qthread_shepherd_id_t* s) {
  const qthread_worker_id_t worker = qthread_worker(s);
  return worker == NO_WORKER ? NO_WORKER : static_cast<qthread_worker_id_t>(worker + 1);
}

qthread_worker_id_t qthread_worker_local(qthread_shepherd_id_t* s) {
  const qthread_worker_id_t worker = qthread_worker(s);
  return worker == NO_WORKER ? NO_WORKER
                             : static_cast<qthread_worker_id_t>(worker % qt::the.per_shepherd);
}

int qthread_shep_ok(void) {
  const uint32_t s = qthread_shep();
  if (s == NO_SHEPHERD) return QTHREAD_PTHREAD_ERROR;
  return qt::takes_tasks(s) ? 1 : 0;
}

void qthread_shep_next(qthread_shepherd_id_t* shep) {
  if (shep == nullptr || !qt::the.is_running()) return;
  *shep = static_cast<qthread_shepherd_id_t>(*shep + 1u < qt::the.shepherds ? *shep + 1u : 0);
}

void qthread_shep_prev(qthread_shepherd_id_t* shep) {
  if (shep == nullptr || !qt::the.is_running()) return;
  const uint32_t last = qt::the.shepherds - 1;
  *shep = static_cast<qthread_shepherd_id_t>(*shep == 0 || *shep > last ? last : *shep - 1u);
}

void qthread_shep_next_local(qthread_shepherd_id_t* shep) { qthread_shep_next(shep); }

void qthread_shep_prev_local(qthread_shepherd_id_t* shep) { qthread_shep_prev(shep); }

int qthread_distance(qthread_shepherd_id_t const src, qthread_shepherd_id_t const dest) {
  if (!qt::is_shepherd(src) || !qt::is_shepherd(dest)) return QTHREAD_BADARGS;
  return src == dest ? 0 : qt::distance(src, dest);
}

qthread_shepherd_id_t const* qthread_sorted_sheps_remote(qthread_shepherd_id_t const src) {
  if (!qt::is_shepherd(src) || qt::sorted == nullptr) return nullptr;
  return &qt::sorted[static_cast<std::size_t>(src) * (qt::the.shepherds - 1)];
}

qthread_shepherd_id_t const* qthread_sorted_sheps(void) {
  return qthread_sorted_sheps_remote(qthread_shep());
}

qthread_shepherd_id_t qthread_num_shepherds(void) {
  if (!qt::the.is_running()) return 0;
  uint32_t n = 0;
  for (uint32_t s = 0; s < qt::the.shepherds; ++s) n += qt::takes_tasks(s);
  return static_cast<qthread_shepherd_id_t>(n);
}

qthread_worker_id_t qthread_num_workers(void) {
  if (!qt::the.is_running()) return 0;
  uint32_t n = 0;
  for (uint32_t w = 0; w < qt::the.workers; ++w) n += !qt::is_off(w);
  return static_cast<qthread_worker_id_t>(n);
}

qthread_worker_id_t qthread_num_workers_local(qthread_shepherd_id_t /*shepherd_id*/) {
  return static_cast<qthread_worker_id_t>(qt::the.is_running() ? qt::the.per_shepherd : 0);
}

int qthread_disable_shepherd(qthread_shepherd_id_t shep) {
  if (shep == 0) return QTHREAD_NOT_ALLOWED;
  if (!qt::is_shepherd(shep)) return QTHREAD_BADARGS;
  qt::set_shepherd(shep, true);
  return QTHREAD_SUCCESS;
}

void qthread_enable_shepherd(qthread_shepherd_id_t shep) {
  if (qt::is_shepherd(shep)) qt::set_shepherd(shep, false);
}

int qthread_disable_worker(qthread_worker_id_t worker) {
  if (worker == 0) return QTHREAD_NOT_ALLOWED;
  const uint32_t w = qt::the.is_running() ? qt::worker_counted(worker) : qt::the.workers;
  if (w == qt::the.workers) return QTHREAD_BADARGS;
  qt::set_worker(w, true);
  return QTHREAD_SUCCESS;
}

void qthread_enable_worker(qthread_worker_id_t worker) {
  if (!qt::the.is_running()) return;
  if (const uint32_t w = qt::worker_counted(worker); w != qt::the.workers) qt::set_worker(w, false);
}

int qthread_migrate_to(qthread_shepherd_id_t const shepherd) {
  qt::record* const me = qt::self();
  if (me == nullptr || me == &qt::main_record) return QTHREAD_NOT_ALLOWED;
  if (shepherd != NO_SHEPHERD && !qt::is_shepherd(shepherd)) return QTHREAD_BADARGS;
  me->part = 0;  // it says itself where it shall be
  if (shepherd == NO_SHEPHERD) {
    const int stays = static_cast<int>(!qt::the.options.steals);  // as it began
    return qt::result_of(weft_task_set_sticky(stays));
  }
  const bool here = shepherd == qt::current_shepherd();
  const uint32_t worker = here ? weft_worker_index() : qt::worker_for(shepherd);
  const int r = weft_task_migrate(worker);
  if (r != -EDEADLK) return qt::result_of(r);
  // It was called on the stack of the thread that started Weft, and cannot leave it.
  return QTHREAD_NOT_ALLOWED;
}

void qthread_reset_target_shep(void) {
  const uint32_t here = qt::current_shepherd();
  qt::turn_from[here != NO_SHEPHERD ? here : qt::most_workers].store(0, std::memory_order_relaxed);
}

void qthread_chpl_reset_spawn_order(void) { qthread_reset_target_shep(); }
