// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that poll by yielding, and what may wait for them, while qthread_finalize stops Weft.
#include "polling.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <mutex>
#include <new>
#include <sched.h>

#include <weft/cancel.h>
#include <weft/word.h>

#include "io_pool.hpp"
#include "runtime.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

std::mutex lock;
std::size_t in_progress = 0;  // under the lock: calls and actions that count

// Of the last stop that began; 0: none. While there are guests one follows the other at once.
std::atomic<uint32_t> stop_number{0};

// Where tasks that poll wait. While Weft stops it is empty if nothing is in progress, else full.
constinit weft_syncvar_t gate WEFT_SYNCVAR_INIT_EMPTY;

// Under the lock, under which alone that changes.
bool is_stopping() noexcept { return the.stops.load(std::memory_order_relaxed); }

// Until there is memory for it.
void open_gate() noexcept {
  while (weft_syncvar_fill(&gate) != 0) sched_yield();
}
void shut_gate() noexcept {
  while (weft_syncvar_empty(&gate) != 0) sched_yield();
}

}  // namespace

bool begin_stop() noexcept {
  const std::lock_guard held(lock);
  const int failed = in_progress == 0 ? weft_syncvar_empty(&gate) : weft_syncvar_fill(&gate);
  if (failed != 0) return false;
  uint32_t next = stop_number.load(std::memory_order_relaxed);
  if (++next == 0) next = 1;
  stop_number.store(next, std::memory_order_release);
  the.begin_stop();
  return true;
}

void end_stop(bool refused) noexcept {
  const std::lock_guard held(lock);
  the.end_stop(refused);
  if (refused) {
    open_gate();
  } else {
    in_progress = 0;  // who did not end an action is gone
  }
}

bool awaited::begin(const record* of) noexcept {
  const std::lock_guard held(lock);
  const bool has_polled =
      of != nullptr && of->polled_in == stop_number.load(std::memory_order_relaxed);
  if (is_stopping() && has_polled) return false;
  if (in_progress++ == 0 && is_stopping()) open_gate();
  return true;
}

void awaited::end() noexcept {
  const std::lock_guard held(lock);
  if (--in_progress == 0 && is_stopping()) shut_gate();
}

// A canceller does not end the wait. Who cannot wait goes on, as does who is in a blocking action.
void stay_behind(record& me) noexcept {
  if (!in_task()) return;
  me.polled_in = stop_number.load(std::memory_order_acquire);
  if (weft_syncvar_try_read_ff(&gate, nullptr) != -EBUSY) return;
  const not_busy waits;
  weft_cancel_scope_t shield;
  weft_cancel_enter(nullptr, &shield);
  (void)weft_syncvar_read_ff(&gate, nullptr);
  weft_cancel_leave(&shield);
}

void begin_child_polling() noexcept {
  new (&lock) std::mutex;  // perhaps somebody held it
  in_progress = 0;
  the.end_stop(false);
}

}  // namespace weft::qt
