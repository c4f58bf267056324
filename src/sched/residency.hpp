// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a task may resume: here, anywhere, or on a worker it goes to.
#pragma once

#include <cerrno>
#include <cstdint>

#include "base/attributes.hpp"
#include "sched/presence.hpp"
#include "sched/scheduler.hpp"
#include "sched/task.hpp"

namespace weft::rt {

// A worker, or a shepherd, or a pool, or none of them.
struct place {
  uint32_t worker = no_worker;
  uint32_t shepherd = no_worker;
  uint32_t pool_handle = 0;    // a weft_pool_t; 0: none
  class pool* pool = nullptr;  // found by look_up()
};

// Of a shepherd or a pool, or of none.
int look_up_lists(const worker* w, place& where) noexcept;
// Finds the pool, if it names one. 0; -ERANGE: there is no such place; -EPERM: tasks of w, or
// threads outside (null), may not spawn there.
WEFT_ALWAYS_INLINE int look_up(const worker* w, place& where) noexcept {
  if (where.worker == no_worker) return look_up_lists(w, where);
  return where.worker < the().count && !is_gone(the().workers[where.worker]) ? 0 : -ERANGE;
}

// Whether the caller, a task, runs on workers of that shepherd alone as long as it asks for nothing
// else.
bool stays_with(uint32_t shepherd) noexcept;

// The residency that a stack has while `top` is the innermost task on it: the nearest that binds
// it.
uint32_t residency(const task* top) noexcept;

// See weft/task.h for the errors.
// Makes the caller sticky here, or free.
int set_sticky(bool sticky) noexcept;
// Goes on as a sticky task on another worker, or on a shepherd's workers; neither: free, here.
int migrate(place to) noexcept;

}  // namespace weft::rt
