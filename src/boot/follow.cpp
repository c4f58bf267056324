// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of its own, which sleeps between looks: its mask is never bound, so it shows what the
// process may use, and a timer of the workers would keep weft_stop waiting. What is found is handed
// to sched/takers.
//
// Orders
//   follow_F1 -> follow_F2   the stopper's word to the thread
//   follow_M1 -> follow_M2   its mask is its own: from now on others may set it
#include "boot/follow.hpp"

#include <algorithm>
#include <memory>

#include "base/atomic.hpp"
#include "os/clock.hpp"
#include "os/cpus.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "sched/scheduler.hpp"
#include "sched/takers.hpp"
#include "sched/worker_thread.hpp"

namespace weft::rt::boot {

namespace {

constexpr std::size_t stack_bytes = std::size_t{128} * 1024;  // paths and lines of files lie there

struct follower {
  os::os_thread thread;
  atomic<uint32_t> unbound{0};  // 1: it has left the mask of who made it
  atomic<uint32_t> ends{0};     // 1: it shall
  usable_at_start start;
  watched_masks masks;
  bool runs = false;  // under the lock of boot.cpp
};

// Never destroyed: a process may end while it sleeps.
union for_ever {
  constexpr for_ever() noexcept : one() {}
  ~for_ever() {}
  follower one;
};
constinit for_ever storage;
constinit follower& the_follower = storage.one;

void follow(void* argument) noexcept {
  auto& f = *static_cast<follower*>(argument);
  unbind_from_maker();
  f.unbound.store_release(1);  // follow_M1 -> follow_M2
  os::futex_wake(f.unbound, 1);
  for (;;) {
    const int64_t next_look_ns = os::monotonic_ns() + follow_every_ns;
    while (os::futex_wait_until(f.ends, 0, next_look_ns))  // signals are handled meanwhile
      if (f.ends.load_acquire() != 0) return;              // follow_F2 <- follow_F1
    if (f.ends.load_acquire() != 0) return;                // follow_F2 <- follow_F1
    if (os::cpu_set mask; f.masks.read(mask)) follow_once("", mask, f.start);
  }
}

// Where it is worker 0; odd: its mask is Weft's.
uint32_t turns_of_starter() noexcept { return binding_turns_of(the().workers[0]); }

}  // namespace

uint32_t workers_for(uint32_t workers, uint32_t at_start, uint32_t now) noexcept {
  if (workers <= at_start) return std::max(1u, std::min(workers, now));
  if (now >= at_start) return workers;
  const uint64_t scaled = (uint64_t{workers} * now + at_start - 1) / at_start;
  return std::max(1u, static_cast<uint32_t>(scaled));
}

bool watched_masks::read(os::cpu_set& out) const noexcept {
  os::cpu_set own;
  os::cpu_set of_starter;
  os::cpu_set again;
  if (!os::get_affinity(own)) return false;
  const uint32_t turns = turns_of_starter();
  const bool asked = starter != 0 && turns % 2 == 0 && os::get_affinity_of(starter, of_starter);
  if (asked && turns_of_starter() != turns) return false;
  if (!os::get_affinity(again) || !(own == again)) return false;
  out = own;
  if (!asked) return true;
  out.keep(of_starter);
  if (out.count() == 0) out = own;
  return true;
}

void follow_once(const char* root, const os::cpu_set& mask, const usable_at_start& start) noexcept {
  const uint32_t now = os::usable_cpus_from(root, mask.count()).count;
  limit_workers(mask == start.mask ? os::cpu_set{} : mask,
                workers_for(the().count, start.cpus, now));
}

int start_following(const usable_at_start& start, watched_masks masks) noexcept {
  follower& f = the_follower;
  f.unbound.store_relaxed(0);  // own: the thread begins after this
  f.ends.store_relaxed(0);     // own: as above
  f.start = start;
  f.masks = masks;
  const int failed = f.thread.start(follow, &f, "weft-follow", stack_bytes);
  f.runs = failed == 0;
  while (f.runs && f.unbound.load_acquire() == 0)
    os::futex_wait(f.unbound, 0);  // follow_M2 <- follow_M1
  return failed;
}

void stop_following() noexcept {
  follower& f = the_follower;
  if (!f.runs) return;
  f.ends.store_release(1);  // follow_F1 -> follow_F2
  os::futex_wake(f.ends, 1);
  f.thread.join();
  f.runs = false;
}

void forget_following() noexcept { std::construct_at(&the_follower); }

}  // namespace weft::rt::boot
