// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The task descriptor: one cache line that is all a task costs until it blocks.
//
// States            fn        on     who may touch it
//   free            null      null   the cache it lies in
//   fresh           set       null   the deque or queue that holds it
//   running         set *     null   the flow that runs it (its own, or a child inline above it)
//   parked          set       set    the wait queue or ready queue that holds it
//   done            set       null   the joiner
//
//   * or the record of a runtime above, which is never null either: see set_record.
//
// Invariant: a free descriptor has fn, on and extra null, the default state and a join word that
// says nobody waits, so that a spawn writes three fields only. A task that ran inline and used none
// of the rest leaves them so; any other is reset by release() on its way back.
//
// The fields are owned<>: a task is handed from flow to flow with a release before and an acquire
// after (notes::release, notes::acquire at spawn, wake, finish and join), never touched by two at
// once.
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
#include "sched/task_state.hpp"

namespace weft::rt {

struct stack;
struct task_extra;

// Pools lay descriptors out in lines; a fork's (fork.hpp) stands in its joiner's frame, where more
// than the stack's own alignment would cost instructions.
struct alignas(16) task {
  owned<weft_fn_t> fn{nullptr};
  owned<void*> value{nullptr};  // fresh: the argument; running: the task beneath; done: the result
  join_word join;
  owned<stack*> on{nullptr};   // the stack that holds its frames while it is parked
  owned<task*> next{nullptr};  // link in an inbox or a ready queue; fresh in a deque: see place()
  owned<void*> site{nullptr};  // where it was spawned
  task_state state;
  atomic<task_extra*> extra{nullptr};
  [[no_unique_address]] notes::flow_note flow;

  // The end of the deque when it was pushed there. It shares a word with the link, and may be
  // stale: the deque tells.
  void set_place(int64_t end) noexcept { next.set(reinterpret_cast<task*>(end)); }
  int64_t place() const noexcept { return reinterpret_cast<int64_t>(next.get()); }

  // What a runtime above keeps for the task while it runs. It shares a word with fn, which nobody
  // calls after the start; bit 63, which no address in user space has, tells it from a function.
  // Inlined code knows this: weft/cpp/fork_abi.hpp.
  void set_record(void* record) noexcept {
    fn.set(reinterpret_cast<weft_fn_t>(reinterpret_cast<uint64_t>(record) | record_bit));
  }
  void* record() const noexcept {
    const auto word = reinterpret_cast<uint64_t>(fn.get());
    return (word & record_bit) != 0 ? reinterpret_cast<void*>(word & ~record_bit) : nullptr;
  }
  static constexpr uint64_t record_bit = uint64_t{1} << 63;

  void* argument() const noexcept { return value.get(); }
  task* beneath() const noexcept { return static_cast<task*>(value.get()); }
  bool has(uint32_t flag) const noexcept { return state.has(flag); }
};
static_assert(build::tsan || sizeof(task) == line_bytes);

// How an inbox links tasks.
struct task_link {
  static task* get(const task* t) noexcept { return t->next.get(); }
  static void set(task* t, task* next) noexcept { t->next.set(next); }
};

}  // namespace weft::rt
