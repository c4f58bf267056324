// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The task descriptor: one cache line that is all a task costs until it blocks.
//
// States            fn        on     who may touch it
//   free            null      null   the cache it lies in
//   fresh           set       null   the deque or queue that holds it
//   running         set       null   the flow that runs it (its own, or a child inline above it)
//   parked          set       set    the wait queue or ready queue that holds it
//   done            set       null   the joiner
//
// Invariant: a free descriptor has fn, on and extra null, flags equal to the default, permit 0 and a
// join word that says nobody waits, so that a spawn writes three fields only. A task that ran inline
// and used none of the rest leaves them so; any other is reset by release() on its way back.
//
// The fields are owned<>: a task is handed from flow to flow with a release before and an acquire
// after (notes::release, notes::acquire at spawn, wake, finish and join), never touched by two at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/types.h>

#include "arch/fiber_notes.hpp"
#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/build.hpp"
#include "base/owned.hpp"
#include "lockfree/join_word.hpp"

namespace weft::rt {

struct stack;
struct task_extra;

inline constexpr uint16_t no_home = UINT16_MAX;
inline constexpr uint32_t no_worker = UINT32_MAX;

enum task_flag : uint16_t {
  flag_sticky = 1u << 0,     // resumes only on `home`, which is set when it first runs
  flag_stackless = 1u << 1,  // may not park
  flag_save_fp = 1u << 2,    // its floating-point control words follow it
  flag_pinned = 1u << 3,     // starts on `home` only
  flag_main = 1u << 4,       // stands for the thread that started Weft
  flag_in_deque = 1u << 5,   // parked, yet in a deque: resume it, do not call it
};

// What the flags of a free descriptor are: flag_sticky where WEFT_STICKY=1. Set before the first task.
inline uint16_t default_task_flags = 0;

struct alignas(line_bytes) task {
  owned<weft_fn_t> fn{nullptr};
  owned<void*> value{nullptr};  // fresh: the argument; running: the task beneath; done: the result
  join_word join;
  owned<stack*> on{nullptr};    // the stack that holds its frames while it is parked
  owned<task*> next{nullptr};   // link in an inbox or a ready queue
  owned<void*> site{nullptr};   // where it was spawned
  owned<uint16_t> flags{default_task_flags};
  owned<uint16_t> home{no_home};
  atomic<uint32_t> permit{0};   // see suspend.cpp
  atomic<task_extra*> extra{nullptr};
  [[no_unique_address]] notes::flow_note flow;

  void* argument() const noexcept { return value.get(); }
  task* beneath() const noexcept { return static_cast<task*>(value.get()); }
  bool has(uint16_t flag) const noexcept { return (flags.get() & flag) != 0; }
  void raise(uint16_t flag) noexcept { flags.set(static_cast<uint16_t>(flags.get() | flag)); }
  void drop(uint16_t flag) noexcept {
    flags.set(static_cast<uint16_t>(flags.get() & static_cast<uint16_t>(~flag)));
  }
};
static_assert(build::tsan || sizeof(task) == line_bytes);

// How an inbox links tasks.
struct task_link {
  static task* get(const task* t) noexcept { return t->next.get(); }
  static void set(task* t, task* next) noexcept { t->next.set(next); }
};

}  // namespace weft::rt
