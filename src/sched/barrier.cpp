// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paces the process-wide barrier and counts it, so that one serves all who wait for one.
//
// Where the system has no such barrier a full fence takes its place, and the owners fence too (the
// census is never quiet then).
//
// Orders
//   B1 -> B2   a barrier that ended is seen with what it made visible
//   B3 <> B3   of all who try in one interval one wins
//   B4 <> B5   a barrier that begins after a point was taken has a larger number than the point
//   O2 <> O1   the barrier itself; its other side is the light fence after work was put
#include "sched/barrier.hpp"

#include "os/membarrier.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

bool claim_process_barrier(int64_t now_ns) noexcept {
  if (!the().membarrier) return true;
  int64_t last = the().barrier_last_ns.load_relaxed();  // hint: the CAS below decides
  return now_ns - last >= barrier_interval_ns &&
         the().barrier_last_ns.cas_seq_cst(last, now_ns);  // B3 <> B3: one of many tries
}

void process_barrier() noexcept {
  if (!the().membarrier) {
    fence_seq_cst();  // O2 <> O1: the owner's fence in publish()
    return;
  }
  const uint64_t number = the().barriers_begun.add_seq_cst(1) + 1;  // B4 <> B5
  os::membarrier();                                                 // O2 <> O1
  uint64_t ended = the().barriers_ended.load_relaxed();             // cas: validated below
  while (ended < number && !the().barriers_ended.cas_release(ended, number)) {  // B1 -> B2
  }
}

bool try_process_barrier(int64_t now_ns) noexcept {
  if (!claim_process_barrier(now_ns)) return false;
  process_barrier();
  return true;
}

uint64_t barrier_point() noexcept {
  return the().barriers_begun.load_seq_cst();  // B5 <> B4: later barriers have a larger number
}

bool barrier_since(uint64_t point) noexcept {
  return the().barriers_ended.load_acquire() > point;  // B2 <- B1
}

}  // namespace weft::rt
