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

inline constexpr uint32_t no_worker = UINT32_MAX;

enum task_flag : uint32_t {
  flag_sticky = 1u << 0,     // resumes only on `home`, which is set when it first runs
  flag_stackless = 1u << 1,  // may not park
  flag_save_fp = 1u << 2,    // its floating-point control words follow it
  flag_pinned = 1u << 3,     // starts on `home` only
  flag_main = 1u << 4,       // stands for the thread that started Weft
  flag_in_deque = 1u << 5,   // parked, yet in a deque: resume it, do not call it
};

inline constexpr uint32_t home_shift = 16;
inline constexpr uint32_t flag_mask = (1u << home_shift) - 1;

// What the flags of a free descriptor are: flag_sticky where WEFT_STICKY=1. Set before the first task.
inline uint32_t default_task_flags = 0;

struct alignas(line_bytes) task {
  owned<weft_fn_t> fn{nullptr};
  owned<void*> value{nullptr};  // fresh: the argument; running: the task beneath; done: the result
  join_word join;
  owned<stack*> on{nullptr};    // the stack that holds its frames while it is parked
  owned<task*> next{nullptr};   // link in an inbox or a ready queue
  owned<void*> site{nullptr};   // where it was spawned
  owned<uint32_t> bits{default_task_flags};  // flags, and above them 1 + home, or 0: none
  atomic<uint32_t> permit{0};   // see suspend.cpp
  atomic<task_extra*> extra{nullptr};
  [[no_unique_address]] notes::flow_note flow;

  void* argument() const noexcept { return value.get(); }
  task* beneath() const noexcept { return static_cast<task*>(value.get()); }
  bool has(uint32_t flag) const noexcept { return (bits.get() & flag) != 0; }
  void raise(uint32_t flag) noexcept { bits.set(bits.get() | flag); }
  void drop(uint32_t flag) noexcept { bits.set(bits.get() & ~flag); }
  // The worker it belongs to, or no_worker.
  uint32_t home() const noexcept { return (bits.get() >> home_shift) - 1; }
  void set_home(uint32_t worker) noexcept {
    bits.set((bits.get() & flag_mask) | (worker + 1) << home_shift);
  }
  // Whether it used nothing that release_task would have to put right. Its extra part may be asked for
  // by others, so that is a hint where the task still runs.
  WEFT_ALWAYS_INLINE bool is_plain() const noexcept {
    const uint32_t permit_now = permit.load_relaxed();   // own: who may resume it is its joiner
    const task_extra* extra_now = extra.load_relaxed();  // hint: E2 loads it again
    return (bits.get() | permit_now) == 0 && extra_now == nullptr;
  }
};
static_assert(build::tsan || sizeof(task) == line_bytes);

// How an inbox links tasks.
struct task_link {
  static task* get(const task* t) noexcept { return t->next.get(); }
  static void set(task* t, task* next) noexcept { t->next.set(next); }
};

}  // namespace weft::rt
