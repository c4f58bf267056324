// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker with nothing to run, before it is idle: it watches its own line for what is likely to
// come soon.
#pragma once

#include "base/attributes.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

// How long w watches before it sleeps.
inline int64_t spin_of(const worker& w) noexcept {
  return w.spin_ns.load_relaxed();  // hint: a wrong value costs time only
}

// Nothing would come of a claim that reached it.
inline bool stays_uncounted(const worker& w) noexcept { return w.disabled.get() || w.alone.get(); }

// Whether w has nothing to run but its current task, of its own or by mail, and its next pick is a
// usual one.
bool has_nothing_else(const worker& w) noexcept;

// Of the processor, while a worker does nothing but look at its own line.
inline constexpr uint32_t pauses_per_look = 16;

// How often pause_between_looks doubles its rest.
inline constexpr uint32_t most_lengthenings = 4;

// The rest of a worker that looks again and again; mail ends it. Longer after looks in vain: each
// takes lines that others write at every switch.
WEFT_COLD void pause_between_looks(const worker& w, uint32_t vain) noexcept;

// One whose last task came by mail, or was a loop's. Null: there may be mail.
WEFT_COLD task* watch_for_more(worker& w) noexcept;

// One that has helped with loops that follow each other, as a searcher that has found nothing:
// until the next loop comes, or anything else. Null: nothing came, or others wait for this worker
// to be idle.
WEFT_COLD task* watch_for_loops(worker& w) noexcept;

// By the task of w that helps with a loop, before the others know that it is over: from now on the
// next one may come, by the slot, unless the worker has other things to do. Until watch_for_same().
void watch_early(worker& w) noexcept;
// True: the same function has come, for this argument, and the task goes on with it as one that was
// spawned there. False: it ends, and the worker sees to what there is.
[[nodiscard]] bool watch_for_same(worker& w, weft_fn_t fn, void*& argument) noexcept;

// By w, which has just left a loop that another worker began: loops follow each other, so it
// watches for the next.
void expect_loops(worker& w) noexcept;

}  // namespace weft::rt
