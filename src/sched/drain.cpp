// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting until nothing is runnable anywhere.
//
// Nothing is runnable when the workers are quiescent (lockfree/quiescence.hpp) and no task runs
// outside. Who drains announces itself, then asks; a worker counts itself idle, then looks for the
// announcement: one of them sees both.
//
// Orders
//   W1 -> W2   the announcement is seen by the worker that answers it
//   W3 -> W4   the answer to a guest
//   W1 <> W5   announce, fence, read the census; count oneself idle, barrier, read the announcement
#include "sched/drain.hpp"

#include "lockfree/quiescence.hpp"
#include "os/futex.hpp"
#include "sched/attention.hpp"
#include "sched/barrier.hpp"
#include "sched/pool.hpp"
#include "sched/presence.hpp"
#include "sched/ready.hpp"
#include "sched/switch.hpp"
#include "sched/waiting.hpp"

namespace weft::rt {

namespace {

task* guest() noexcept { return reinterpret_cast<task*>(std::uintptr_t{1}); }

bool all_empty() noexcept {
  for (uint32_t i = 0; i < the().shepherd_count; ++i)
    if (!the().shepherds[i].shared.empty() || the().shepherds[i].placed.held() != 0) return false;
  for (uint32_t i = 0; i < the().count; ++i) {
    const worker& v = the().workers[i];
    const bool is_there =
        presence_of(v) != worker_presence::gone;  // else it has orders and bells only
    if ((is_there && has_letters(v)) || v.deque.remaining_hint() > 0 || v.woken.leavable() > 0 ||
        !v.offered.empty() || v.yielded.leavable() > 0 || v.timers.armed() > 0)
      return false;
  }
  return served_pools_are_empty();
}

// at_work: so many of them ask, 1 or 0, and count as at rest.
struct all_workers {
  int at_work;

  uint64_t rises() const noexcept {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < the().count; ++i) sum += the().workers[i].rises.read();
    return sum;
  }
  bool at_rest() const noexcept {
    const uint32_t uncounted =
        the().uncounted.load_relaxed();  // hint: asked twice, with the rises between
    return the().census.idle_hint() + static_cast<int>(uncounted) + at_work ==
           static_cast<int>(the().count);
  }
  bool nap() const noexcept {
    const uint32_t outside =
        the().outside.load_relaxed();  // hint: a worker that lets one go out is idle afterwards
    return the().napping.any() || outside != 0;
  }
  bool holds_none() const noexcept { return all_empty(); }
};

void announce(worker&, task* me, void*) noexcept {
  the().drain_waiter.store_seq_cst(me);  // W1 -> W2, W1 <> W5
}

}  // namespace

void tell_drained() noexcept {
  task* waiter = the().drain_waiter.load_acquire();  // W2 <- W1, W5 <> W1
  if (waiter == nullptr || !is_quiescent(all_workers{0})) return;
  if (!the().drain_waiter.cas_acquire(waiter, nullptr)) return;  // W2 <- W1
  if (waiter != guest()) {
    make_ready(self(), waiter);
    return;
  }
  the().drained.store_release(1);  // W3 -> W4
  os::futex_wake(the().drained, 1);
}

int drain() noexcept {
  worker* w = self();
  if (w != nullptr) {
    const task_waits shown(*w, *w->current.get(), "the end of all work", nullptr, nullptr);
    return park(*w, nullptr, announce, nullptr);
  }
  the().drained.store_relaxed(0);             // own: nobody answers before the announcement
  the().drain_waiter.store_seq_cst(guest());  // W1 -> W2, W1 <> W5
  tell_drained();
  const thread_waits shown("the end of all work", nullptr, nullptr);
  while (the().drained.load_acquire() == 0)  // W4 <- W3
    os::futex_wait(the().drained, 0);
  return 0;
}

bool is_drained() noexcept { return is_quiescent(all_workers{self() != nullptr ? 1 : 0}); }

}  // namespace weft::rt
