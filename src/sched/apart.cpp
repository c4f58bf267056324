// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waking a worker's thread, and where it goes on.
#include "sched/apart.hpp"

#include <algorithm>

#include "arch/fiber_notes.hpp"
#include "base/atomic.hpp"
#include "os/affinity.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "sched/presence.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sched/worker_thread.hpp"

namespace weft::rt {

namespace {

// A move takes some 30 us, and where others keep all processors busy it does not last.
constexpr int64_t between_moves_ns = 10'000'000;
// And where another keeps the one busy that it goes to, it takes until there is a turn: so it is
// not tried again before so many times as long.
constexpr int64_t rests_per_move = 100;

bool is_awake(const worker& v) noexcept {
  return presence_of(v) != worker_presence::gone && !v.wake.is_idle();
}

// What no worker that is awake was last seen on. A worker that the kernel has moved since is not
// where it was seen: a wrong choice costs time.
os::cpu_set without_workers(const worker& w, const os::cpu_set& all) noexcept {
  os::cpu_set free = all;
  for (uint32_t i = 0; i < the().count; ++i) {
    const worker& v = the().workers[i];
    if (&v != &w && is_awake(v)) free.remove(v.seen_on.load_relaxed());  // hint: as said
  }
  return free;
}

// The nearest: its own, those of its shepherd, any. os::cpu_set::most: there is none.
uint32_t nearest_of(const worker& w, const os::cpu_set& free) noexcept {
  const topo::places& map = the().map;
  if (const uint32_t own = map.processor[w.index]; free.has(own)) return own;
  const uint32_t s = map.shepherd_of(w.index);
  for (uint32_t i = map.of_first[s]; i < map.of_last[s]; ++i)
    if (free.has(map.all[i])) return map.all[i];
  return free.next(0);
}

bool move_to_free_processor(worker& w) noexcept {
  os::cpu_set allowed;
  if (!os::get_affinity(allowed)) return false;
  const uint32_t to = nearest_of(w, without_workers(w, allowed));
  notes::release(&flows_left);  // the map was read by a loop, which to TSan nobody joins
  if (to == os::cpu_set::most || !os::step_to(to, allowed)) return false;
  w.seen_on.store_relaxed(to);  // hint: where it goes on
  return true;
}

bool runs_beside(const worker& v, uint32_t processor) noexcept {
  return is_awake(v) && v.seen_on.load_relaxed() == processor;  // hint: it has just written
}

}  // namespace

void wake_thread(worker& target) noexcept {
  if (worker* const w = self(); w != nullptr) {
    w->seen_on.store_relaxed(os::current_processor());  // hint: of where it goes on
    target.woken_by.store_relaxed(w->index);            // hint: the wake orders enough
  }
  os::futex_wake(target.wake.futex(), 1);
}

void step_apart(worker& w) noexcept {
  const uint32_t here = os::current_processor();
  w.seen_on.store_relaxed(here);                     // hint: where it goes on
  const uint32_t waker = w.woken_by.load_relaxed();  // hint: as wake_thread
  w.woken_by.store_relaxed(no_worker);               // hint: as above
  if (waker == no_worker || waker == w.index || the().spin_ns == 0 || is_the_programs(w)) return;
  if (!runs_beside(the().workers[waker], here)) return;
  const int64_t begun = os::monotonic_ns();
  if (begun < w.no_move_before_ns.get()) return;
  if (move_to_free_processor(w)) count_one(w.moves);
  const int64_t ended = os::monotonic_ns();
  w.no_move_before_ns.set(ended + std::max(between_moves_ns, rests_per_move * (ended - begun)));
}

}  // namespace weft::rt
