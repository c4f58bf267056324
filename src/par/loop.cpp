// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a loop: alone at first or not, inviting helpers, ending it.
#include "par/loop.hpp"

#include <algorithm>
#include <cerrno>
#include <sched.h>

#include "base/atomic.hpp"
#include "par/pace.hpp"
#include "par/shared_loop.hpp"
#include "sched/join.hpp"
#include "sched/spawn.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

namespace {

constinit atomic<uint32_t> usual_schedule{static_cast<uint32_t>(loop_schedule::adaptive)};

bool is_set(const uint32_t* flag) noexcept {
  return flag != nullptr && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

uint32_t most_members(const loop_plan& p) noexcept {
  const worker* w = self();
  if (w == nullptr || w->current.get() == nullptr || w->current.get()->has(flag_stackless))
    return 1;
  uint32_t most = the().count;
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
  const bool adaptive = plan_.schedule == loop_schedule::adaptive;
  if (adaptive) known_ = pace::recall(plan_.key);
  const double expected = known_ * static_cast<double>(plan_.count);
  const bool short_one = known_ != 0 && expected < pace::worth_steps * pace::step();
  if (!adaptive || !short_one) may_share_ = share_rest();
}

bool loop_member::share_rest() noexcept {
  const uint32_t parts = most_members(plan_);
  shared_loop* made = parts > 1 ? shared_loop::make(plan_, next_, parts) : nullptr;
  if (made == nullptr) return false;
  loop_ = made;
  size_ = 0;
  spent_ = 0;
  clocked_ = 0;
  known_ *= static_cast<double>(made->unit);
  enter();
  invite();
  return true;
}

// A place of its own for the member, its worker's if it can be had: so a loop that is run again gives
// the same iterations to the same workers.
void loop_member::enter() noexcept {
  loop_->members.add_relaxed(1);  // count: a hint of how many to invite
  if (loop_->central) return;
  const uint32_t near = self()->index % loop_->part_count;
  for (uint32_t i = 0; i < loop_->part_count && slot_ == no_slot; ++i) {
    const uint32_t at = (near + i) % loop_->part_count;
    // L1 <- L2: a span has one holder at a time
    if (loop_->at(at).taken.load_relaxed() == 0 && loop_->at(at).taken.exchange_acquire(1) == 0)
      slot_ = at;
  }
}

void loop_member::leave() noexcept {
  if (!through_) drop_rest();
  if (clocked_ != 0)
    pace::learn(plan_.key,
                spent_ / (static_cast<double>(clocked_) * static_cast<double>(loop_->unit)));
  retract();
  if (slot_ != no_slot) loop_->at(slot_).taken.store_release(0);  // L2 -> L1
  loop_->members.add_relaxed(0 - 1u);                             // count: as above
}

// One more member, if there is room and none is on its way: who comes invites the next. A task that any
// worker may take, and that nobody waits for.
void loop_member::invite() noexcept {
  shared_loop& l = *loop_;
  if (!plan_.invites) return;
  const uint32_t here = l.members.load_relaxed();                              // hint
  if (here >= l.part_count || l.invitation.load_relaxed() != nullptr) return;  // hint
  worker* w = self();
  task* t = make_task(w, help, &l, plan_.site, {}, true);
  if (t == nullptr) return;
  task* nobody = nullptr;
  if (!l.invitation.cas_acq_rel(nobody, t)) {
    release_task(w, t);
    return;
  }
  l.ledger.hold();
  invited_ = t;
  inviter_ = w->index;
  place_ = w->deque.end();
  start_task(w, t);
}

// Takes the own invitation back if it still lies in this worker's deque, so that loops that nobody joins
// leave nothing there. While it is the loop's invitation it has not begun, and its descriptor is no
// other task's; whether a thief has it the deque tells.
void loop_member::retract() noexcept {
  worker& w = *self();
  task* t = invited_;
  if (t == nullptr || inviter_ != w.index) return;
  if (loop_->invitation.load_relaxed() != t || !w.deque.holds(t, place_))
    return;  // hint: see above
  if (!take_child(w, place_)) return;
  loop_->invitation.store_relaxed(nullptr);  // own: the task was taken
  release_task(&w, t);
  loop_->release();  // its hold
}

void* loop_member::help(void* argument) noexcept {
  shared_loop& l = *static_cast<shared_loop*>(argument);
  l.invitation.store_relaxed(nullptr);  // own: the task has begun
  {
    loop_member me(l);
    // The caller may be gone, and its argument, unless there is something to do.
    if (me.find_first_block()) {
      me.invite();
      l.plan.run(me, l.plan.argument);
    }
    me.leave();
    // Beyond this the caller may go on, and what belongs to it is gone.
    if (me.taken_ != 0 && l.ledger.settle(me.taken_)) (void)l.over.count_down(1);
  }
  l.release();
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
  // hint: what is begun a moment after the stop was begun before it was seen
  return is_set(plan_.cancel) || (loop_ != nullptr && loop_->stop.load_relaxed() != 0);
}

bool loop_member::finish() noexcept {
  if (loop_ == nullptr) {
    if (!through_) drop_rest();
    if (clocked_ != 0) pace::learn(plan_.key, spent_ / static_cast<double>(clocked_));
    return !dropped_;
  }
  leave();
  if (taken_ == 0 || !loop_->ledger.settle(taken_)) {
    // Only blocks that others have begun are left.
    while (!loop_->over.is_open() && loop_->over.wait_slow(forever, plan_.site) != 0) sched_yield();
  }
  const bool all = loop_->dropped.load_relaxed() == 0;  // via: E2 of the ledger, or the latch
  loop_->release();
  return all;
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
  me.leave();
  // Nobody waits for the last: the count only says that each was settled once.
  if (me.taken_ != 0) (void)loop.ledger.settle(me.taken_);
  return loop.dropped.load_relaxed() == 0
             ? 0
             : -ECANCELED;  // hint: who is still there may yet drop some
}

int run_loop(const loop_plan& plan) noexcept {
  loop_member me(plan);
  me.begin();
  plan.run(me, plan.argument);
  return me.finish() ? 0 : -ECANCELED;
}

}  // namespace weft::rt
