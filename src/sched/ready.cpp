// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making tasks ready: which queue, who is told.
//
// The two Dekker pairs behind "no wake is lost" (README.md, "Idle"):
//   O1 <> O2   an owner puts work, then reads the census; a worker counts itself idle, then looks
//              at all work. The owner's side is fence_light (or a fence, where no barrier can be
//              had), the idle worker's is the process-wide barrier.
//   M1 <> M2   a sender puts mail, then reads the receiver's wake word; the receiver sets the word,
//              then looks at its mail. Both sides are full fences.
//   bell_R1 -> bell_R2  what was queued before the bell was found rung is seen by who answers it
//   bell_R2 -> bell_R1  the bell is out of the mail before it is rung anew
//   heir_H2 <> heir_H1  a sender queues in a shepherd's list, fence, asks for its heir;
//                       takers.cpp
//   order_D2 <> order_D1  a sender queues, fence, asks which workers take such tasks; attention.cpp
//   bell_Q1 <> bell_Q2  a sender queues an urgent task, fence, reads the wake words; a worker
//               rises, fence, looks for urgent tasks
#include "sched/ready.hpp"

#include "sched/apart.hpp"
#include "sched/attention.hpp"
#include "sched/delivery.hpp"
#include "sched/near.hpp"
#include "sched/pool.hpp"

namespace weft::rt {

namespace {

// A task that was woken while somebody is idle. The waker most often parks next and goes on with
// it, so others get it only if the waker does not; the one that waits to see is a searcher, which
// there is always one of.
WEFT_COLD void offer(worker& w, task* t) noexcept {
  if (!the().membarrier) {
    fence_seq_cst();  // O1 <> O2, as in publish()
    if (the().census.quiet_after_fence()) {
      requeue(w, t);
      return;
    }
  }
  w.poll.begin();
  if (task* older = w.offered.put(t)) requeue(w, older);
  wake_one(w.index);  // begins with the fence of O1 <> O2
}

// To another worker, in the order of who sends.
void send_there(worker& there, task* t) noexcept {
  if (!deliver(there, t)) send_mail(there, t);
}

WEFT_COLD void send_home(worker* w, task* t, uint32_t home) noexcept {
  if (w != nullptr) w->poll.begin();
  if (is_placed(home)) {
    send_placed(w, t, home);
  } else {
    send_there(the().workers[home], t);
  }
}

void requeue_as(worker& w, task* t, uint32_t home) noexcept {
  if (home != no_worker && home != w.index) {
    send_home(&w, t, home);
    return;
  }
  w.woken.push(t);
  share_with_idle(w, 0);
}

// Tells the shepherd's workers that are at work. The idle look before they go to work.
void ring(shepherd& s) noexcept {
  (void)any_worker_of(s, 0, [](worker& v) {
    if (!v.wake.is_idle() && v.bell_rung.exchange_acq_rel(1) == 0)
      send_mail(v, &v.bell);  // bell_R1 -> bell_R2; bell_R1 <- bell_R2
    return false;
  });
}

// False: it is not idle.
bool hand_search_to(worker& w) noexcept {
  const wake_result r = w.wake.hand_search();
  if (r == wake_result::must_wake) wake_thread(w);
  return r != wake_result::not_idle;
}

// Where tasks for a shepherd, or for all, lie now.
shepherd& list_for(const worker* w, uint32_t home) noexcept {
  const uint32_t wanted = shepherd_in(home);
  shepherd& named = wanted != open_to_all ? the().shepherds[wanted]
                    : w != nullptr        ? w->herd
                                          : the().shepherds[0];
  return *named.heir.load_relaxed();  // heir_H2 <> heir_H1
}

// Of those that take nothing from other workers one may be idle, and what came from outside is for
// it too.
WEFT_COLD void call_one_uncounted() noexcept {
  for (uint32_t i = 0; i < the().count; ++i) {
    worker& v = the().workers[i];
    if (takes_free_tasks(v) && v.wake.is_uncounted() && call(v)) return;
  }
}

}  // namespace

bool call(worker& w) noexcept {
  const wake_result r = w.wake.call();
  if (r == wake_result::must_wake) wake_thread(w);
  return r != wake_result::not_idle;
}

void give_order(worker& v) noexcept {
  if (v.order_given.exchange_acq_rel(1) == 0)
    send_mail(v, &v.order);  // order_R1 -> order_R2; order_R1 <- order_R2
}

void send_mail(worker& target, task* t) noexcept {
  target.mail.push(t);
  (void)call(target);  // it begins with the fence of M1 <> M2
}

void call_for_placed(const shepherd& s, uint32_t near) noexcept {
  (void)any_worker_of(s, near, [](worker& v) { return takes_free_tasks(v) && call(v); });
}

void hand_shared_to_heir(shepherd& s) noexcept {
  shepherd* from = &s;
  for (;;) {
    shepherd* const to = from->heir.load_relaxed();  // heir_H2 <> heir_H1
    task* const first = to != from ? from->shared.take_all() : nullptr;
    if (first == nullptr) return;
    task* last = first;
    while (task* t = last->next.get()) last = t;
    to->shared.push_chain(first, last);
    fence_seq_cst();  // heir_H2 <> heir_H1: of who gets them now
    from = to;
  }
}

void hand_to_heir(worker* w, shepherd& s) noexcept {
  if (s.heir.load_relaxed() == &s) return;  // heir_H2 <> heir_H1
  hand_shared_to_heir(s);
  while (task* t = s.placed.take(place_queue::any)) {
    const stack* on = t->on.get();
    const uint32_t home = on != nullptr ? on->home.get() : home_of_fresh(t->state);
    send_placed(w, t, home != no_worker ? home : home_of_free);
  }
}

void wake_one(uint32_t near) noexcept {
  if (!the().census.claim_wake()) {
    if (the().uncounted.load_relaxed() != 0) call_one_uncounted();  // O1 <> O2
    return;
  }
  // The keeper of time last: another one would have to take over.
  const uint32_t keeper = the().keeper.look().who;
  const shepherd& herd = the().workers[near].herd;
  do {
    if (any_worker_near(herd, near - herd.first,
                        [&](worker& w) { return w.index != keeper && hand_search_to(w); }))
      return;
    if (keeper < the().count && hand_search_to(the().workers[keeper])) return;
  } while (the().census.claim_missed());
}

void publish(worker& w, uint32_t keep) noexcept {
  if (!the().membarrier) {
    fence_seq_cst();  // O1 <> O2
    // Or all that is ready here would wander to the shared inbox, which nobody empties, out of
    // turn.
    if (the().census.quiet_after_fence()) return;
  }
  if (work_in_sight(w)) return;
  if (w.deque.remaining_hint() > keep) w.deque.share();
  ready_queue& from = w.yielded.leavable() > w.woken.leavable() ? w.yielded : w.woken;
  if (from.leavable() > keep) {
    const ready_queue::chain half = from.share_half();
    if (half.first != nullptr) w.herd.shared.push_chain(half.first, half.last);
  }
  if (work_in_sight(w)) wake_one(w.index);
}

void put_in_sight(worker& w) noexcept {
  if (!work_in_sight(w) && w.deque.share()) wake_one(w.index);
}

void ring_own_bell(worker& w) noexcept {
  if (w.bell_rung.exchange_acq_rel(1) == 0)
    w.mail.push(&w.bell);  // bell_R1 -> bell_R2; bell_R1 <- bell_R2
}

void send_placed(worker* w, task* t, uint32_t home) noexcept {
  if (is_pool(home)) {
    send_to_pool(w, t, pool_in(home));
    return;
  }
  WEFT_ASSERT(is_placed(home));
  const bool all = shepherd_in(home) == open_to_all;
  shepherd& to = list_for(w, home);
  const bool urgent = level_in(home) == level::high;
  to.placed.push(t, home);  // last use of *t
  fence_seq_cst();  // O1 <> O2, bell_Q1 <> bell_Q2, heir_H2 <> heir_H1, order_D2 <> order_D1
  hand_to_heir(w, to);
  if (urgent) ring(to);
  if (w != nullptr) expect_placed(*w);
  if (all) {
    wake_one(w == nullptr ? to.first : w->index);
  } else {
    // Another shepherd's workers would not find it.
    call_for_placed(to, w == nullptr ? 0 : w->index);
  }
}

void requeue(worker& w, task* t) noexcept { requeue_as(w, t, t->on.get()->home.get()); }

void make_ready(worker* w, task* t) noexcept { make_ready(w, t, t->on.get()->home.get()); }

void make_ready(worker* w, task* t, uint32_t home) noexcept {
  notes::release(t);
  if (w != nullptr) {
    // Nobody is idle, or nobody may have it.
    if (the().census.quiet() || home != no_worker) {
      requeue_as(*w, t, home);
    } else {
      offer(*w, t);
    }
    return;
  }
  if (home != no_worker) {
    send_home(nullptr, t, home);
    return;
  }
  send_anywhere(nullptr, t, t);
}

void send_pinned(worker* w, task* t, uint32_t target) noexcept {
  notes::release(t);
  if (w != nullptr && w->index == target) {
    w->woken.push(t);
    return;
  }
  send_there(the().workers[target], t);
}

void send_anywhere(worker* w, task* first, task* last) noexcept {
  const shepherd& near = w == nullptr ? the().shepherds[0] : w->herd;
  shepherd& to = *near.heir.load_relaxed();  // heir_H2 <> heir_H1
  to.shared.push_chain(first, last);
  fence_seq_cst();  // O1 <> O2, heir_H2 <> heir_H1
  hand_shared_to_heir(to);
  wake_one(w == nullptr ? 0 : w->index);
}

}  // namespace weft::rt
