// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a loop: alone at first or not, inviting helpers, ending it.
//
// Orders
//   L2 -> L1   who leaves a span has written it for the last time before the next holder does
//   I1 -> I2   who finds that the last invitation was followed finds its helper counted
#include "par/loop.hpp"

#include <algorithm>
#include <cerrno>

#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "par/pace.hpp"
#include "par/shared_loop.hpp"
#include "sched/child.hpp"
#include "sched/delivery.hpp"
#include "sched/home.hpp"
#include "sched/join.hpp"
#include "sched/near.hpp"
#include "sched/ready.hpp"
#include "sched/spawn.hpp"
#include "sched/watch.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

namespace {

constinit atomic<uint32_t> usual_schedule{static_cast<uint32_t>(loop_schedule::adaptive)};

// By its slot: an invitation is taken there at once, without a call into the system.
bool watches(const worker& v) noexcept { return v.slot.is_open(); }

bool idles_awake(const worker& v) noexcept {
  return v.wake.is_idle() && !v.wake.is_asleep() && !v.wake.is_uncounted();  // hint: a wake tells
}

// Anybody who would come before the system had woken a sleeper; of the workers, w's shepherd's.
bool somebody_comes_soon(const worker& w) noexcept {
  return the().census.searching_hint() > 0 ||
         any_worker_of(w.herd, w.index - w.herd.first + 1,
                       [](const worker& v) { return watches(v) || idles_awake(v); });
}

// An invitation that went by a slot: there is no task yet.
task* delivered() noexcept { return reinterpret_cast<task*>(std::uintptr_t{1}); }

// By a helper that has just come: the lines of the descriptor that it needs, all at once, not one
// after the other.
void fetch(shared_loop& l) noexcept {
  arch::prefetch_to_write(&l.invitation);
  __builtin_prefetch(&l.units);
  // Its part, if there are so many; a processor does not wait for the answer.
  const uint32_t mine = self()->index;
  if (!l.central && mine < l.part_count) arch::prefetch_to_write(&l.at(mine));
}

uint32_t most_members(const loop_plan& p) noexcept {
  if (!caller_may_park()) return 1;
  uint32_t most = p.shepherd == no_worker ? the().count : the().shepherds[p.shepherd].count;
  if (p.members != 0) most = std::min(most, p.members);
  return static_cast<uint32_t>(std::min<uint64_t>(most, p.count));
}

}  // namespace

loop_member::loop_member(shared_loop& loop) noexcept : plan_(loop.plan), loop_(&loop) {
  if (plan_.schedule == loop_schedule::adaptive)
    known_ = pace::recall(plan_.key) * static_cast<double>(loop.unit);
  enter();
}

void loop_member::begin() noexcept {
  may_share_ = most_members(plan_) > 1;
  if (!may_share_) return;
  task_ = self()->current.get();
  const bool adaptive = plan_.schedule == loop_schedule::adaptive;
  if (adaptive) known_ = pace::recall(plan_.key);
  const double expected = known_ * static_cast<double>(plan_.count);
  const bool short_one = known_ != 0 && !worth_telling(expected);
  if (!adaptive || !short_one) may_share_ = share_rest();
}

bool loop_member::share_rest() noexcept {
  const uint32_t parts = most_members(plan_);
  shared_loop* made = parts > 1 ? shared_loop::make(plan_, next_, parts) : nullptr;
  if (made == nullptr) return false;
  loop_ = made;
  size_ = 0;
  basis_ = 0;
  spent_ = 0;
  clocked_ = 0;
  known_ *= static_cast<double>(made->unit);
  if (!made->central) slot_ = self()->index % parts;
  made->begin_with(slot_);
  invite_first();
  return true;
}

// A place of its own for the member, its worker's if it can be had: so a loop that is run again
// gives the same iterations to the same workers.
void loop_member::enter() noexcept {
  loop_->members.add_relaxed(1);   // count: a hint of how many to invite
  const worker* const w = self();  // a member of a team may be a thread outside
  if (w != nullptr) task_ = w->current.get();
  if (loop_->central) return;
  const uint32_t near = w != nullptr ? w->index % loop_->part_count : 0;
  for (uint32_t i = 0; i < loop_->part_count && slot_ == no_slot; ++i) {
    const uint32_t at = (near + i) % loop_->part_count;
    // L1 <- L2: a span has one holder at a time
    if (loop_->at(at).taken.load_relaxed() == 0 && loop_->at(at).taken.exchange_acquire(1) == 0)
      slot_ = at;
  }
}

// All others go by the copy of the plan.
bool loop_member::is_callers() const noexcept { return &plan_ != &loop_->plan; }

// For another. The caller's stays taken, and it stays counted: the lines are others' by then. Who
// had a part of a span in its hands while the caller found nothing may have something to invite for
// afterwards; where all others take part it then finds no room, and the caller's worker does not
// come.
void loop_member::give_place_back() noexcept {
  if (slot_ != no_slot) loop_->at(slot_).taken.store_release(0);  // L2 -> L1
  loop_->members.add_relaxed(0 - 1u);                             // count: as above
}

// What it ran is settled last: the caller, which may be waiting for that alone, would take lines
// meanwhile that this writes. True: these were the last iterations.
bool loop_member::leave() noexcept {
  if (!through_) leave_early();
  retract();
  if (!is_callers()) give_place_back();
  if (clocked_ != 0)
    pace::learn(plan_.key,
                spent_ / (static_cast<double>(clocked_) * static_cast<double>(loop_->unit)));
  return taken_ != 0 && loop_->ledger.settle(taken_);
}

// One more member, if there is room and none is on its way: who comes invites the next. A task that
// any worker may take, and that nobody waits for. What it finds is published by the queue or the
// slot it goes through; `invitation` only says that there is one, or whose it is.
void loop_member::invite() noexcept {
  shared_loop& l = *loop_;
  if (!plan_.invites || is_in_child()) return;
  if (l.is_full() || l.invitation.load_relaxed() != nullptr) return;  // hint: asked again below
  worker* w = self();
  task* nobody = nullptr;
  if (somebody_watches(*w)) {
    if (!l.invitation.cas_acquire(nobody, delivered())) return;  // I2 <- I1
    l.ledger.hold();
    if (!l.is_full() && deliver_to_watcher(*w)) return;
    l.invitation.store_relaxed(nullptr);  // own: nobody has it
    l.release();
    nobody = nullptr;
  }
  task* t = nullptr;
  if (make_task(w, help, &l, plan_.site, {.where = {no_worker, plan_.shepherd}}, true, t) != 0)
    return;
  if (!l.invitation.cas_acquire(nobody, t)) {  // I2 <- I1
    release_task(w, t);
    return;
  }
  if (l.is_full()) {
    l.invitation.store_relaxed(nullptr);  // own: nobody has it
    release_task(w, t);
    return;
  }
  l.ledger.hold();
  send(w, t);
}

// The caller's, while nobody else knows the loop.
void loop_member::invite_first() noexcept {
  worker* w = self();
  loop_->ledger.hold_unseen();
  loop_->invitation.store_relaxed(delivered());  // init: nobody else knows the loop
  if (plan_.shepherd == no_worker && deliver_to_watcher(*w)) return;
  task* t = nullptr;
  if (make_task(w, help, loop_, plan_.site, {.where = {no_worker, plan_.shepherd}}, true, t) != 0) {
    loop_->invitation.store_relaxed(nullptr);  // init: as above
    loop_->release();
    return;
  }
  loop_->invitation.store_relaxed(t);  // init: as above
  send(w, t);
}

void loop_member::send(worker* w, task* t) noexcept {
  invited_ = t;
  inviter_ = w->index;
  place_ = w->deque.end();
  start_task(w, t);
  if (plan_.shepherd == no_worker) put_in_sight(*w);
}

// Of all workers, where any of them may be a member.
bool loop_member::somebody_watches(const worker& w) const noexcept {
  return plan_.shepherd == no_worker &&
         any_worker_near(w.herd, w.index - w.herd.first + 1, watches);
}

// The invitation goes to who watches, in the line that he watches. It is not taken back.
bool loop_member::deliver_to_watcher(worker& w) noexcept {
  return any_worker_near(w.herd, w.index - w.herd.first + 1, [&](worker& v) {
    return watches(v) && deliver_free(v, help, loop_, plan_.site);
  });
}

// Takes the own invitation back if it still lies in this worker's deque, or with the shepherd, so
// that loops that nobody joins leave nothing there. While it is the loop's invitation its
// descriptor is no other task's; whether it has begun, or a thief has it, the deque tells.
void loop_member::retract() noexcept {
  task* t = invited_;
  if (t == nullptr || is_in_child()) return;
  if (loop_->invitation.load_relaxed() != t) return;  // hint: asked again below
  worker& w = *self();
  if (plan_.shepherd != no_worker) {
    const uint32_t home =
        make_home(plan_.shepherd, level::normal);  // *t may be another task by now
    const auto waits = [&] {
      return loop_->invitation.load_relaxed() == t;  // via: the lock of placed
    };
    if (!the().shepherds[plan_.shepherd].placed.take_back(t, home, waits)) return;
  } else if (inviter_ != w.index || !w.deque.holds(t, place_) || !take_child(w, place_)) {
    return;
  }
  loop_->invitation.store_relaxed(nullptr);  // own: the task was taken
  release_task(&w, t);
  loop_->release();  // its hold
}

void loop_member::help_with(shared_loop& l) noexcept {
  fetch(l);
  {
    loop_member me(l);
    l.invitation.store_release(nullptr);  // I1 -> I2
    // The caller may be gone, and its argument, unless there is something to do.
    if (me.find_first_block()) {
      me.invite();
      l.plan.run(me, l.plan.argument);
      // The function of its task, which for the program is the loop's, has returned.
      if (me.is_in_child()) end_child_process();
    }
    watch_early(*self());
    // Once it has settled, the caller may go on, and what belongs to it is gone.
    if (me.leave()) (void)l.over.count_down(1);
  }
  l.release();
}

// With one loop, and with those that follow so soon that the next comes before the task has ended.
void* loop_member::help(void* argument) noexcept {
  do {
    help_with(*static_cast<shared_loop*>(argument));
    expect_loops(*self());
  } while (watch_for_same(*self(), help, argument));
  return nullptr;
}

bool loop_member::find_first_block() noexcept {
  held_ = next_shared();
  return !held_.empty();
}

loop_member::block loop_member::next() noexcept {
  if (!held_.empty()) {
    const block b = held_;
    held_ = {};
    return b;
  }
  return loop_ != nullptr ? next_shared() : next_alone();
}

bool loop_member::stopped() const noexcept {
  told_ = told_ || ends();
  return told_;
}

// A block of the adaptive schedule is short in time, unless its iterations take much longer than
// they did when the loop ran before.
uint64_t loop_member::stop_interval() const noexcept {
  return plan_.schedule == loop_schedule::adaptive ? 32'768 : 1024;
}

bool loop_member::ends() const noexcept {
  return plan_.cancelled() ||
         (loop_ != nullptr && loop_->stop.load_relaxed() != 0);  // hint: as loop_plan::cancelled
}

// Whether others should hear of what takes so long: who watches comes at once, who sleeps must be
// woken by the system.
bool loop_member::worth_telling(double expected) const noexcept {
  if (is_in_child()) return false;
  if (expected >= pace::worth_steps * pace::step()) return true;
  return expected >= pace::awake_steps * pace::step() && somebody_comes_soon(*self());
}

// Waits awake for the last blocks of others, of which each may take what a block should, and only
// while there is nothing else that this worker could do: parked, it would search and watch as long.
bool loop_member::others_end_soon() const noexcept {
  if (the().spin_ns == 0) return false;  // others need this processor
  const worker& w = *self();
  if (!has_nothing_else(w)) return false;
  const double longest = pace::wait_steps * pace::step();
  const uint64_t from = arch::cycle_count();
  while (!loop_->ledger.settled()) {
    if (!w.mail.empty() || static_cast<double>(arch::cycle_count() - from) > longest) return false;
    arch::pause();
  }
  return true;
}

bool loop_member::finish() noexcept {
  if (loop_ == nullptr) {
    if (!through_) leave_early();
    if (clocked_ != 0) pace::learn(plan_.key, spent_ / static_cast<double>(clocked_));
    return !dropped_;
  }
  // Only blocks that others have begun are left. They end in the parent only.
  const bool all_are_over = leave();
  const bool waits = !all_are_over && !is_in_child();
  if (waits && !others_end_soon()) loop_->over.pass(plan_.site);
  const bool none_dropped =
      loop_->dropped.load_relaxed() == 0;  // via: E2 of the ledger, or the latch
  loop_->release();
  return none_dropped && (all_are_over || waits);
}

bool caller_may_park() noexcept {
  const worker* w = self();
  const task* me = w != nullptr ? w->current.get() : nullptr;
  return me != nullptr && !me->has(flag_stackless);
}

void set_default_schedule(loop_schedule s) noexcept {
  usual_schedule.store_relaxed(static_cast<uint32_t>(s));  // hint: loops that begin later follow it
}

loop_schedule default_schedule() noexcept {
  return static_cast<loop_schedule>(usual_schedule.load_relaxed());  // hint: see above
}

int join_loop(shared_loop& loop, const loop_plan& plan) noexcept {
  loop_member me(loop);
  plan.run(me, plan.argument);
  const bool ends_early = me.ends();
  (void)me.leave();  // nobody waits for the last: the count only says that each was settled once
  // Who is still there leaves out what it has not begun, and has perhaps not said so yet.
  if (ends_early && !loop.ledger.settled()) return -ECANCELED;
  return loop.dropped.load_relaxed() == 0
             ? 0
             : -ECANCELED;  // via: E2 of the ledger, if it was to end early
}

int run_alone(const loop_plan& plan) noexcept {
  loop_member me(plan);
  plan.run(me, plan.argument);
  return me.finish() ? 0 : -ECANCELED;
}

int run_loop(const loop_plan& plan) noexcept {
  loop_member me(plan);
  me.begin();
  plan.run(me, plan.argument);
  return me.finish() ? 0 : -ECANCELED;
}

}  // namespace weft::rt
