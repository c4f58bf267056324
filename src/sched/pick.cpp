// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker does next: woken tasks, its newest fresh task, yielded tasks, what others have.
//
// Woken tasks go before fresh ones because they hold stacks; yielded ones go behind everything, because
// that is what a yield asks for. Each 61st pick takes the oldest of one of the queues in turn.
#include "sched/pick.hpp"

#include "sched/ready.hpp"

namespace weft::rt {

namespace {

// Of the fair picks, which takes the oldest of the deque even if other queues have something. Seldom:
// an old task may be the root of much work, and each one that is begun out of order keeps stacks alive.
constexpr uint32_t fair_fresh_every = 256;

// xorshift64: where to begin to steal.
uint32_t next_victim(worker& w) noexcept {
  uint64_t x = w.random.get();
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  w.random.set(x);
  return static_cast<uint32_t>(x % the().count);
}

task* oldest_fresh(worker& w) noexcept {
  if (!w.deque.has_public()) w.deque.share();
  task* t = nullptr;
  return w.deque.steal(t) == steal_result::taken ? out_of_deque(t) : nullptr;
}

}  // namespace

task* pick_oldest(worker& w) noexcept {
  w.tick.set(fair_pick_every);
  if (!w.mail.empty()) drain_mail(w);
  const uint32_t turn = w.fair_turn.get() + 1;
  w.fair_turn.set(turn);
  if (turn % fair_fresh_every == 0) {
    if (task* t = oldest_fresh(w)) return t;
  }
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t queue = (turn + i) % 3;
    task* t = queue == 0 ? w.woken.pop() : queue == 1 ? w.yielded.pop() : take_shared(w);
    if (t != nullptr) return t;
  }
  return nullptr;
}

task* pick_around_sticky(worker& w) noexcept {
  behind_children_entry* first = w.behind.get();
  if (w.deque.end() > first->below) {
    if (task* t = w.deque.pop()) return out_of_deque(t);
  }
  w.behind.set(first->next);
  return first->yielder;  // last use of *first: it lies on the yielder's stack
}

task* take_shared(worker& w) noexcept {
  if (the().shared.empty()) return nullptr;
  task* first = the().shared.take_all();
  if (first == nullptr) return nullptr;
  task* t = first->next.get();
  const bool more = t != nullptr;
  while (t != nullptr) {
    task* after = t->next.get();
    w.woken.push(t);
    t = after;
  }
  if (more) share_with_idle(w, 0);
  return first;
}

void drain_mail(worker& w) noexcept {
  for (task* t = w.mail.take_all(); t != nullptr;) {
    task* after = t->next.get();
    w.woken.push(t);
    t = after;
  }
}

task* steal_from(worker& w, worker& victim) noexcept {
  task* t = nullptr;
  for (;;) {
    const steal_result r = victim.deque.steal(t);
    if (r == steal_result::empty) return nullptr;
    if (r == steal_result::taken) break;
  }
  count_one(w.steals);
  return out_of_deque(t);
}

task* look(worker& w) noexcept {
  if (!w.mail.empty()) drain_mail(w);
  if (!w.woken.empty()) {
    if (task* t = w.woken.pop()) return t;
  }
  if (task* t = take_shared(w)) return t;
  const uint32_t n = the().count;
  uint32_t v = next_victim(w);
  for (uint32_t i = 0; i < n; ++i, v = v + 1 == n ? 0 : v + 1) {
    if (v == w.index) continue;
    if (task* t = steal_from(w, the().workers[v])) return t;
  }
  return nullptr;
}

}  // namespace weft::rt
