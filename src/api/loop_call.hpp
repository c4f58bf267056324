// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the C functions of loops and teams share: how a loop is asked for, loops over values, the
// calling task.
#pragma once

#include <cerrno>
#include <cstdint>
#include <sched.h>

#include <weft/loop.h>

#include "api/request.hpp"
#include "base/sized.hpp"
#include "boot/boot.hpp"
#include "par/loop.hpp"
#include "sched/join.hpp"
#include "sched/self.hpp"
#include "sched/spawn.hpp"

namespace weft::rt {

// Fills the plan but for its count, and what it runs. fn: whose time is remembered, if nothing else
// is said.
template <class Fn>
int read_how(const weft_loop_t* given, Fn fn, void* site, loop_plan& plan) noexcept {
  weft_loop_t how = WEFT_LOOP_INIT;
  if (given != nullptr && !read_sized(*given, how)) return -EINVAL;
  if (how.schedule > WEFT_LOOP_EACH) return -EINVAL;
  plan.schedule = how.schedule != WEFT_LOOP_DEFAULT ? static_cast<loop_schedule>(how.schedule)
                                                    : default_schedule();
  plan.members = how.members;
  plan.block = how.block;
  plan.cancel = how.cancel;
  plan.key = how.key != nullptr ? how.key : reinterpret_cast<const void*>(fn);
  plan.site = site;
  // All zeroes are the default too.
  if (how.where == 0 || how.where == WEFT_ANYWHERE) return 0;
  plan.shepherd = read_place(how.where).shepherd;
  return plan.shepherd != no_worker ? 0 : -EINVAL;
}

// Has go() run by a task, one of that shepherd if one is given: by the calling one, or by one that
// is spawned for it.
template <class Go>
int in_task(Go go, void* site, uint32_t shepherd = no_worker) noexcept {
  const auto call = [](void* arg) -> void* {
    return reinterpret_cast<void*>(static_cast<intptr_t>((*static_cast<Go*>(arg))()));
  };
  void* result = nullptr;
  const task* const me = current_task(self());
  if (me == nullptr) {
    int failed = 0;
    do {
      failed = boot::ensure_started();
      if (failed == 0) failed = call_from_outside(call, &go, site, shepherd, &result);
    } while (failed == -ENOTCONN);  // it was stopped in between
    if (failed != 0) return failed == -ESHUTDOWN ? -ENOTCONN : failed;
  } else {
    if (shepherd == no_worker) return go();
    place where{no_worker, shepherd};
    if (const int wrong = look_up(self(), where); wrong != 0) return wrong;
    if (stays_with(shepherd)) return go();
    if (me->has(flag_stackless)) return -EPERM;
    task* t = nullptr;
    if (const int failed = spawn_with(self(), call, &go, site, {.where = where}, &t); failed != 0)
      return failed;
    while (join_task(t, &result) != 0)
      sched_yield();  // what it refers to is here: there is no way but to wait
  }
  return static_cast<int>(reinterpret_cast<intptr_t>(result));
}

template <class Value>
uint64_t count_values(Value begin, Value end, int64_t step) noexcept {
  const auto b = static_cast<uint64_t>(begin);
  const auto e = static_cast<uint64_t>(end);
  const auto s = static_cast<uint64_t>(step);
  if (step == 0) return 0;
  if (step > 0) return begin < end ? (e - b - 1) / s + 1 : 0;
  return begin > end ? (b - e - 1) / (0 - s) + 1 : 0;
}

// A loop over values; they are kept as unsigned, where they do not overflow.
template <class Value>
struct values {
  using fn_type = void (*)(Value begin, Value end, void* arg);

  values(Value first, Value bound, int64_t stride, fn_type what, void* argument) noexcept
      : begin(static_cast<uint64_t>(first)),
        end(static_cast<uint64_t>(bound)),
        step(static_cast<uint64_t>(stride)),
        count(count_values(first, bound, stride)),
        fn(what),
        arg(argument) {}

  const uint64_t begin;
  const uint64_t end;
  const uint64_t step;
  const uint64_t count;
  const fn_type fn;
  void* const arg;

  // Fills the plan of a loop that runs them. 0; -EINVAL.
  int read(const weft_loop_t* how, void* site, loop_plan& plan) noexcept {
    if (fn == nullptr || step == 0) return -EINVAL;
    plan.count = count;
    plan.run = run_blocks;
    plan.argument = this;
    return read_how(how, fn, site, plan);
  }

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

}  // namespace weft::rt
