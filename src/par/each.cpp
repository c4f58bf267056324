// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task for each iteration of a loop: a byte of memory beside the descriptor.
//
// The argument of a task is an address in its batch, whose header knows the loop and the first
// number; the place in the batch is the rest of the number. Owners run the newest tasks, thieves
// take the oldest, so that a batch's count is seldom written by two workers. Here everything is
// owed to the caller, so all of it may lie with the caller.
#include "par/each.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <new>

#include "base/atomic.hpp"
#include "lockfree/loop_ledger.hpp"
#include "mem/raw.hpp"
#include "sched/child.hpp"
#include "sched/self.hpp"
#include "sched/spawn.hpp"
#include "sync/latch.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

namespace {

constexpr uint64_t per_batch = 256;

struct each_loop {
  void (*body)(uint64_t i, void* argument);
  void* argument;
  const loop_plan& plan;
  loop_ledger batches;
  latch over{1};
  atomic<uint32_t> dropped{0};

  void run_one(uint64_t i) noexcept {
    if (plan.cancelled()) {
      dropped.store_relaxed(1);  // via: the ledgers
    } else {
      body(i, argument);
    }
  }
};

struct alignas(per_batch) batch {
  each_loop& loop;
  const uint64_t first;
  loop_ledger left;

  // An iteration is over. The last one of all lets the caller go on.
  void settle_one() noexcept {
    each_loop& l = loop;
    if (left.settle(1) && l.batches.settle(1)) (void)l.over.count_down(1);  // last use of *this
  }
};
static_assert(sizeof(batch) == per_batch);

void* run_in_task(void* place) noexcept {
  const auto at = reinterpret_cast<uintptr_t>(place);
  batch& b = *reinterpret_cast<batch*>(at & ~(per_batch - 1));
  const task* const me = self()->current.get();
  b.loop.run_one(b.first + (at & (per_batch - 1)));
  if (me->has(flag_forked)) end_child_process();  // who waits does so in the parent
  b.settle_one();
  return nullptr;
}

int run_in_turn(each_loop& l, uint64_t count) noexcept {
  for (uint64_t i = 0; i < count; ++i) l.run_one(i);
  return l.dropped.load_relaxed() == 0 ? 0 : -ECANCELED;  // own: nobody else was told
}

}  // namespace

int run_each(const loop_plan& plan, void (*body)(uint64_t i, void* argument),
             void* argument) noexcept {
  const uint64_t batches = (plan.count - 1) / per_batch + 1;
  each_loop l{body, argument, plan, loop_ledger(batches)};
  if (plan.members == 1 || !caller_may_park()) return run_in_turn(l, plan.count);
  if (batches > SIZE_MAX / per_batch - 1) return -ENOMEM;
  const std::size_t bytes = (batches + 1) * per_batch;  // one more, for the alignment
  void* memory = raw_alloc(bytes);
  if (memory == nullptr) return -ENOMEM;
  const auto start = (reinterpret_cast<uintptr_t>(memory) + per_batch - 1) & ~(per_batch - 1);
  const spawn_request bound{.where = {no_worker, plan.shepherd}};
  worker* w = self();
  const task* const me = w->current.get();
  for (uint64_t n = 0; n < batches; ++n) {
    const uint64_t first = n * per_batch;
    const uint64_t count = std::min(per_batch, plan.count - first);
    auto* b = new (reinterpret_cast<void*>(start + first)) batch{l, first, loop_ledger(count)};
    for (uint64_t i = 0; i < count; ++i) {
      void* place = reinterpret_cast<void*>(start + first + i);
      // Who could not be given a task is run here: nothing of the loop may be missing.
      const int failed = plan.shepherd == no_worker
                             ? spawn_slow(*w, run_in_task, place, plan.site, nullptr)
                             : spawn_with(w, run_in_task, place, plan.site, bound, nullptr);
      if (failed != 0) {
        l.run_one(b->first + i);
        if (me->has(flag_forked)) return -ECANCELED;  // all the others are in the parent
        b->settle_one();
        w = self();
      }
    }
  }
  l.over.pass(plan.site);
  raw_free(memory, bytes);
  return l.dropped.load_relaxed() == 0 ? 0 : -ECANCELED;  // via: the ledgers
}

}  // namespace weft::rt
