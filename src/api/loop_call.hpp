// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the C functions of loops and teams share: how a loop is asked for, loops over values, the calling task.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>

#include <weft/loop.h>

#include "boot/boot.hpp"
#include "par/loop.hpp"
#include "sched/join.hpp"
#include "sched/self.hpp"
#include "sched/spawn.hpp"

namespace weft::rt {

// Fills the plan but for its count, and what it runs.
inline int read_how(const weft_loop_t* given, loop_plan& plan) noexcept {
  weft_loop_t how = WEFT_LOOP_INIT;
  if (given != nullptr) {
    if (given->size < sizeof given->size) return -EINVAL;
    std::memcpy(&how, given, given->size < sizeof how ? given->size : sizeof how);
  }
  if (how.schedule > WEFT_LOOP_EACH) return -EINVAL;
  plan.schedule = how.schedule != WEFT_LOOP_DEFAULT ? static_cast<loop_schedule>(how.schedule)
                                                    : default_schedule();
  plan.members = how.members;
  plan.block = how.block;
  plan.cancel = how.cancel;
  plan.key = how.key;
  return 0;
}

// Has go() run by a task: the calling one, or one that is spawned for it.
template <class Go>
int in_task(Go go, void* site) noexcept {
  if (const int failed = boot::ensure_started(); failed != 0) return failed;
  const worker* w = self();
  if (w != nullptr && w->current.get() != nullptr) return go();
  const auto call = [](void* arg) -> void* {
    return reinterpret_cast<void*>(static_cast<intptr_t>((*static_cast<Go*>(arg))()));
  };
  task* t = nullptr;
  if (const int failed = spawn_with(self(), call, &go, site, {}, &t); failed != 0) return failed;
  void* result = nullptr;
  if (const int failed = join_task(t, &result); failed != 0) return failed;
  return static_cast<int>(reinterpret_cast<intptr_t>(result));
}

// A loop over values; they are kept as unsigned, where they do not overflow.
template <class Value>
struct values {
  uint64_t begin;
  uint64_t end;
  uint64_t step;
  uint64_t count;
  void (*fn)(Value begin, Value end, void* arg);
  void* arg;

  // Of the number of an iteration, or of their count.
  Value value_at(uint64_t i) const {
    return static_cast<Value>(i == count ? end : begin + i * step);
  }
  void run(uint64_t first, uint64_t last) const { fn(value_at(first), value_at(last), arg); }
  static void run_one(uint64_t i, void* v) { static_cast<values*>(v)->run(i, i + 1); }
  static void run_blocks(loop_member& me, void* v) {
    for (auto b = me.next(); !b.empty(); b = me.next())
      static_cast<values*>(v)->run(b.first, b.last);
  }
};

template <class Value>
uint64_t count_values(Value begin, Value end, int64_t step) noexcept {
  const auto b = static_cast<uint64_t>(begin);
  const auto e = static_cast<uint64_t>(end);
  const auto s = static_cast<uint64_t>(step);
  if (step > 0) return begin < end ? (e - b - 1) / s + 1 : 0;
  return begin > end ? (b - e - 1) / (0 - s) + 1 : 0;
}

}  // namespace weft::rt
