// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task on its way to a worker that has nothing to do, in the line that the worker watches.
//
// A detached fresh one comes by value: it gets its descriptor from the worker's own cache, so that
// no line of it comes from elsewhere and has to go back. One that somebody will join, and one that
// was parked, has a descriptor already, and comes as its address.
//
// Who sends several to one worker has them in order: he delivers only while he sees no mail there,
// and the worker takes no mail while the slot is open.
#pragma once

#include <cstdint>

#include <weft/types.h>

#include "base/owned.hpp"

namespace weft::rt {

struct task;
struct worker;

// A fresh task that has no descriptor yet.
struct delivery {
  owned<weft_fn_t> fn;
  owned<void*> argument;
  owned<void*> site;
  owned<uint32_t> flags;  // of task_flag
};

// Any thread. False: it goes the usual way.
[[nodiscard]] bool deliver(worker& target, task* t) noexcept;
// A detached one, which is counted as bound there already.
[[nodiscard]] bool deliver(worker& target, weft_fn_t fn, void* argument, void* site,
                           uint32_t flags) noexcept;
// A detached one that may run anywhere: the target is who has nothing to do.
[[nodiscard]] bool deliver_free(worker& target, weft_fn_t fn, void* argument, void* site) noexcept;

// By w: what it has received is to be run now. A descriptor is at hand.
task* unpack_delivery(worker& w) noexcept;

// By w, which has nothing to do, and is not counted among the idle: from now on it may get a task
// in its slot.
void open_slot(worker& w) noexcept;
// By w: from now on it gets none. True: one has come, to be unpacked.
[[nodiscard]] bool shut_slot(worker& w) noexcept;
// The same. Not null: this one came.
task* close_slot(worker& w) noexcept;

}  // namespace weft::rt
