// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searching: looks, rests between them, and the force that ends them.
#include "sched/search.hpp"

#include <algorithm>

#include "arch/cpu.hpp"
#include "os/clock.hpp"
#include "sched/attention.hpp"
#include "sched/barrier.hpp"
#include "sched/delivery.hpp"
#include "sched/near.hpp"
#include "sched/pick.hpp"
#include "sched/ready.hpp"
#include "sched/serving.hpp"
#include "sched/watch.hpp"

namespace weft::rt {

namespace {

constexpr uint32_t search_rounds = 32;  // some microseconds
constexpr uint32_t search_rounds_unspun =
    4;  // others need this CPU: more workers than there are, say

// About what a search, a steal and a task's end elsewhere cost thief and owner. Of tasks that take
// less the thief leaves most to their owner, as long as it takes few: it rests after each steal,
// longer if the one before was as short.
constexpr int64_t short_steal_ns = 500;
constexpr int64_t rest_ns = 500;
constexpr uint32_t most_doublings = 3;

// Of tasks that take up to about ten times that, a thief takes twice as many at each visit as at
// the one before, up to so many: the search is paid once for all of them. Of longer ones it takes
// one, which leaves the rest to whoever is free first.
constexpr int64_t long_task_ns = 5'000;
constexpr uint32_t most_stolen = 32;

// From so many on, what it took says how long a task takes. One that takes less than its lines take
// to go there and come back costs its owner more than to run it: the thief rests for long.
constexpr uint32_t enough_to_tell = 8;
constexpr int64_t tiny_task_ns = 80;
constexpr uint32_t most_doublings_if_tiny = 5;

// What a worker could get by asking or forcing: nothing that is bound to its owner counts.
bool has_work_for_others(const worker& v) noexcept {
  return v.deque.remaining_hint() > 0 || !v.offered.empty() || v.woken.leavable() > 0 ||
         v.yielded.leavable() > 0;
}

bool any_work_of_others(const worker& w) noexcept {
  if (any_from_outside()) return true;
  for (uint32_t i = 0; i < the().count; ++i)
    if (i != w.index && has_work_for_others(the().workers[i])) return true;
  return false;
}

// Takes what a visit brought in.
task* keep(worker& w, ready_queue::chain c) noexcept {
  if (c.first != nullptr) count_one(w.forced_shares);
  return take_first(w, c.first);
}

// Waits for this worker's turn of the barrier, before it closes anything an owner could wait for.
// Not null: work came into sight meanwhile, and there was no turn.
task* await_turn(worker& w) noexcept {
  while (!claim_process_barrier(os::monotonic_ns())) {
    if (task* t = look(w)) return t;
    pause_between_looks(w, 0);
  }
  return nullptr;
}

// Work of an owner that does not answer. Each kind of it takes a barrier.
task* force_one(worker& w, worker& v) noexcept {
  if (v.deque.has_private()) {
    if (task* t = await_turn(w)) return t;
    if (stays_uncounted(w)) return nullptr;  // since it looked while it waited
    if (v.deque.force_share(process_barrier)) {
      count_one(w.forced_shares);
      if (task* t = steal_from(w, v)) return t;
    }
  }
  for (ready_queue* from : {&v.woken, &v.yielded}) {
    if (from->leavable() == 0) continue;
    if (task* t = await_turn(w)) return t;
    if (stays_uncounted(w)) return nullptr;
    if (task* t = keep(w, from->visit(process_barrier))) return t;
  }
  return nullptr;
}

void begin_to_search(worker& w) noexcept {
  the().census.becomes_searcher();
  w.searching.set(true);
}

// Whether the tasks of one worker wake each other, which takes up all that it offers, and nobody
// has more than the task that it is about to switch to.
bool sees_turns_only(const worker& w) noexcept {
  if (w.vain_looks.get() == 0 || spin_of(w) == 0) return false;
  for (uint32_t i = 0; i < the().count; ++i) {
    const worker& v = the().workers[i];
    if (&v == &w || !has_work_for_others(v)) continue;
    if (&v != w.hesitant.get() || v.deque.remaining_hint() > 0 || v.woken.leavable() > 1 ||
        v.yielded.leavable() > 0)
      return false;
  }
  return true;
}

// One that searches makes each wake of such tasks dearer. If no other worker is idle, this one
// looks now and then as if it were at work, so that its searching shows to nobody, as long as it
// sees nothing else. Null, as a searcher again: it does, or others are idle.
task* watch_turns(worker& w) noexcept {
  if (w.vain_looks.get() < most_lengthenings || the().census.idle_hint() > 0 ||
      the().census.searching_hint() > 1)
    return nullptr;
  (void)end_search(w, nullptr);
  task* t = nullptr;
  do {
    pause_between_looks(w, most_lengthenings);
    t = look(w);
  } while (t == nullptr && !stays_uncounted(w) && sees_turns_only(w));
  begin_to_search(w);
  return t;
}

}  // namespace

bool any_from_outside() noexcept {
  for (uint32_t i = 0; i < the().shepherd_count; ++i) {
    const shepherd& s = the().shepherds[i];
    if (!s.shared.empty() || (s.placed.held() & place_queue::to_all) != 0) return true;
  }
  return false;
}

bool any_work(const worker& w) noexcept {
  if (has_letters(w)) return true;
  if (w.disabled.get()) return false;
  if (w.herd.placed.held() != 0 || serves_work(w)) return true;
  return w.alone.get() ? any_from_outside() : any_work_of_others(w);
}

task* force_owners(worker& w) noexcept {
  task* t = nullptr;
  (void)any_worker_near(w.herd, w.index - w.herd.first + 1, [&](worker& v) {
    if (&v != &w) t = force_one(w, v);
    return t != nullptr || stays_uncounted(w);
  });
  return t;
}

task* end_search(worker& w, task* t) noexcept {
  if (!w.searching.get()) return t;
  w.searching.set(false);
  if (the().census.searcher_found() && (any_work(w) || any_work_of_others(w))) wake_one(w.index);
  return t;
}

void rest_after_short_steal(worker& w) noexcept {
  if (w.stole_from.get() == nullptr) return;
  w.stole_from.set(nullptr);
  int64_t now = os::monotonic_ns();
  const uint32_t stolen = w.stolen.get();
  const int64_t each = (now - w.searched_ns.get()) / stolen;
  const bool tiny = stolen >= enough_to_tell && each < tiny_task_ns;
  if (tiny) {
    w.to_steal.set(enough_to_tell);
  } else {
    w.to_steal.set(each < long_task_ns ? std::min(2 * w.to_steal.get(), most_stolen) : 1);
  }
  if (each < short_steal_ns) {
    const int64_t until = now + (rest_ns << w.short_steals.get());
    w.short_steals.set(
        std::min(w.short_steals.get() + 1, tiny ? most_doublings_if_tiny : most_doublings));
    while (now < until && !has_letters(w)) {
      for (uint32_t i = 0; i < pauses_per_look; ++i) arch::pause();
      now = os::monotonic_ns();
    }
  } else {
    w.short_steals.set(0);
  }
  w.searched_ns.set(now);
}

void steal_more(worker& w) noexcept {
  if (w.stole_from.get() == nullptr) return;
  worker& victim = *w.stole_from.get();
  uint32_t stolen = 1;
  while (stolen < w.to_steal.get() && victim.deque.public_hint() > 1) {
    task* t = nullptr;
    if (victim.deque.steal(t) != steal_result::taken) break;
    arch::prefetch_to_write(t);
    queue_again(w, out_of_deque(t));
    count_one(w.steals);
    ++stolen;
  }
  w.stolen.set(stolen);
  if (stolen > 1) share_with_idle(w, 0);
}

task* search_others(worker& w) noexcept {
  if (!w.searching.get()) begin_to_search(w);
  const bool spins = spin_of(w) != 0;
  const uint32_t rounds = spins ? search_rounds : search_rounds_unspun;
  if (spins) open_slot(w);
  for (uint32_t round = 0; round < rounds; ++round) {
    if (task* t = look(w)) return t;
    if (stays_uncounted(w)) return nullptr;
    if (!sees_turns_only(w)) {
      pause_between_looks(w, 0);
      continue;
    }
    round = 0;  // to give up now would be to be called at its next switch
    if (task* t = watch_turns(w)) return t;
    if (stays_uncounted(w)) return nullptr;
    pause_between_looks(w, w.vain_looks.get());
  }
  task* const t = force_owners(w);
  return t != nullptr ? t : watch_for_loops(w);
}

}  // namespace weft::rt
