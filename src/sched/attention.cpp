// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders to a worker, and what it does while they hold.
//
// Orders
//   order_D1 <> order_D2   who wants a worker disabled: wanted, full fence, looks what lies in the
//                          shepherd's lists; who queues there: puts, full fence, asks who may be
//                          called
#include "sched/attention.hpp"

#include "sched/near.hpp"
#include "sched/ready.hpp"
#include "sched/search.hpp"
#include "sched/serving.hpp"
#include "sched/worker_thread.hpp"

namespace weft::rt {

namespace {

void append(ready_queue::chain& all, ready_queue::chain more) noexcept {
  if (more.first == nullptr) return;
  if (all.first == nullptr) {
    all = more;
    return;
  }
  all.last->next.set(more.first);
  all.last = more.last;
}

void take_leavable(ready_queue& from, ready_queue::chain& to) noexcept {
  while (from.leavable() > 0) append(to, from.share_half());
}

}  // namespace

void follow_order(worker& w) noexcept {
  // order_R2 <- order_R1; order_R2 -> order_R1: who wants more from now on gives one anew
  (void)w.order_given.exchange_acq_rel(0);
  const bool was_disabled = w.disabled.get();
  w.disabled.set(w.wanted.load_relaxed() != 0);  // via: order_R2
  change_scheduler(w);
  const uint32_t processor = w.rebound_to.exchange_acquire(UINT32_MAX);  // order_R2 <- order_R1
  if (processor != UINT32_MAX) rebind_thread(w, processor);
  if (!w.disabled.get() || was_disabled) return;
  // It may have been called for a task of its shepherd, of a pool or from outside, that it will not
  // take now.
  fence_seq_cst();  // order_D1 <> order_D2
  if (w.herd.placed.held() != 0) call_for_placed(w.herd, w.index);
  call_other_servers(w);
  if (any_from_outside()) wake_one(w.index);
}

void evacuate(worker& w) noexcept {
  recall_offered(w);
  ready_queue::chain all;
  while (task* t = w.deque.pop()) {
    t = out_of_deque(t);
    t->next.set(nullptr);
    append(all, {t, t});
  }
  take_leavable(w.woken, all);
  take_leavable(w.yielded, all);
  // Where the deque could not grow, what yielded behind its children is here though it may leave.
  for (auto* at = &w.behind; at->get() != nullptr;) {
    behind_children_entry* const entry = at->get();
    task* const t = entry->yielder.get();
    if (t->on.get()->home.get() != no_worker) {
      at = &entry->next;
      continue;
    }
    at->set(entry->next.get());
    t->next.set(nullptr);
    append(all, {t, t});
  }
  if (all.first != nullptr) send_anywhere(&w, all.first, all.last);
  hand_shared_to_heir(w.herd);  // what this worker has shown there before
}

}  // namespace weft::rt
