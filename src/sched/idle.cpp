// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker with nothing to do: search, watch its own line, sleep.
//
// The steps (README.md, "Idle"):
//   1. look everywhere once; while it finds nothing and may search: a few rounds more. Owners see the
//      census not quiet and share at their next push or pick.
//   2. an owner that does not answer: share for it, which takes a process-wide barrier.
//   3. give up: watch the own wake word, count as idle.
//   4. once, after a barrier: look at all work again, hidden work included (O2). Found: back to 1.
//   5. watch for spin_ns, then sleep on the futex.
#include "sched/idle.hpp"

#include <algorithm>

#include "arch/cpu.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "sched/barrier.hpp"
#include "sched/drain.hpp"
#include "sched/pick.hpp"
#include "sched/ready.hpp"
#include "sched/spin.hpp"

namespace weft::rt {

namespace {

constexpr int64_t nap_ns = 50'000;
constexpr uint32_t pauses_per_round = 16;

// What a worker could get by asking or forcing: nothing that is bound to its owner counts.
bool has_work_for_others(const worker& v) noexcept {
  return v.deque.remaining_hint() > 0 || v.woken.leavable() > 0 || v.yielded.leavable() > 0;
}

bool any_work(const worker& w) noexcept {
  if (!w.mail.empty() || !the().shared.empty()) return true;
  for (uint32_t i = 0; i < the().count; ++i)
    if (i != w.index && has_work_for_others(the().workers[i])) return true;
  return false;
}

void heavy() noexcept {
  while (!try_process_barrier(os::monotonic_ns())) arch::pause();
}

// Puts what a visit brought in among the own ready tasks and takes the first.
task* keep(worker& w, ready_queue::chain c) noexcept {
  if (c.first == nullptr) return nullptr;
  count_one(w.forced_shares);
  for (task* t = c.first->next.get(); t != nullptr;) {
    task* after = t->next.get();
    w.woken.push(t);
    t = after;
  }
  return c.first;
}

// Work of an owner that does not answer.
task* force(worker& w) noexcept {
  for (uint32_t i = 1; i < the().count; ++i) {
    worker& v = the().workers[(w.index + i) % the().count];
    if (!has_work_for_others(v)) continue;
    if (v.deque.has_private() && v.deque.force_share(heavy)) {
      count_one(w.forced_shares);
      if (task* t = steal_from(w, v)) return t;
    }
    if (task* t = keep(w, v.woken.visit(heavy))) return t;
    if (task* t = keep(w, v.yielded.visit(heavy))) return t;
  }
  return nullptr;
}

// This worker stops to search because it found something.
task* found(worker& w, task* t) noexcept {
  if (!w.searching.get()) return t;
  w.searching.set(false);
  if (the().census.searcher_found() && any_work(w)) wake_one(w.index);
  return t;
}

// Leaves the ranks of the idle, as a searcher: unasked, or told to.
void leave_idle(worker& w) noexcept {
  w.rises.store_release(w.rises.load_relaxed() + 1);  // W7 -> W6; own: only its worker writes
  fence_seq_cst();                                    // W7 <> W6
  if (w.wake.rise() != wake_reason::handed) the().census.idle_leaves(true);
}

// Idle until told or until there is work; returns as a searcher.
void wait_idle(worker& w) noexcept {
  bool looked = false;
  const uint64_t point = barrier_point();
  int64_t now = os::monotonic_ns();
  const int64_t watch_until = now + the().spin_ns;
  w.stacks.trim_idle();
  for (;;) {
    if (w.wake.is_notified()) {
      leave_idle(w);
      return;
    }
    if (!looked && (barrier_since(point) || try_process_barrier(now))) {
      looked = true;
      if (any_work(w) ||
          the().stopping.load_relaxed() != 0) {  // via: the barrier; the stopper tells all
        leave_idle(w);
        return;
      }
      tell_drained();
      if (!w.woken.empty()) {  // it was this worker's main that waited
        leave_idle(w);
        return;
      }
    }
    if (looked && now >= watch_until && w.wake.fall_asleep()) {
      count_one(w.sleeps);
      while (!w.wake.is_notified()) os::futex_wait(w.wake.futex(), wake_word::asleep_value);
      count_one(w.wakes);
      continue;
    }
    if (the().spin_ns == 0) spin_pause(UINT32_MAX);  // others need this CPU
    for (uint32_t i = 0; i < pauses_per_round && !w.wake.is_notified(); ++i) arch::pause();
    now = os::monotonic_ns();
  }
}

void become_idle(worker& w) noexcept {
  w.searching.set(true);
  w.wake.watch();
  the().census.searcher_gives_up();
}

}  // namespace

task* find_work(worker& w) noexcept {
  if (task* t = look(w)) return t;
  the().census.becomes_searcher();
  w.searching.set(true);
  for (;;) {
    for (uint32_t round = 0; round < the().search_rounds; ++round) {
      if (task* t = look(w)) return found(w, t);
      for (uint32_t i = 0; i < pauses_per_round; ++i) arch::pause();
    }
    if (task* t = force(w)) return found(w, t);
    become_idle(w);
    wait_idle(w);
    if (the().stopping.load_acquire() != 0) {  // X2 <- X1
      found(w, nullptr);
      return nullptr;
    }
  }
}

task* nap(worker& w) noexcept {
  if (any_work(w)) return force(w);
  the().census.becomes_searcher();
  become_idle(w);
  fence_seq_cst();  // O2 <> O1: not a barrier, so a wake may be missed; the nap is short
  if (!any_work(w) && w.wake.fall_asleep() && !w.wake.is_notified())
    (void)os::futex_wait_for(w.wake.futex(), wake_word::asleep_value, nap_ns);
  leave_idle(w);
  return found(w, nullptr);
}

}  // namespace weft::rt
