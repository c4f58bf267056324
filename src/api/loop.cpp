// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/loop.h: arguments are checked here, the work is done below.
#include "par/loop.hpp"

#include <cerrno>
#include <cstring>

#include <weft/loop.h>

#include "base/attributes.hpp"
#include "boot/boot.hpp"
#include "par/each.hpp"
#include "sched/join.hpp"
#include "sched/self.hpp"
#include "sched/spawn.hpp"

namespace rt = weft::rt;

static_assert(WEFT_LOOP_ADAPTIVE == static_cast<int>(rt::loop_schedule::adaptive));
static_assert(WEFT_LOOP_EACH == static_cast<int>(rt::loop_schedule::each));

namespace {

rt::loop_member& from(weft_loop_member_t* m) noexcept {
  return *reinterpret_cast<rt::loop_member*>(m);
}

// Fills the plan but for its count, and what it runs.
int read_how(const weft_loop_t* given, rt::loop_plan& plan) noexcept {
  weft_loop_t how = WEFT_LOOP_INIT;
  if (given != nullptr) {
    if (given->size < sizeof given->size) return -EINVAL;
    std::memcpy(&how, given, given->size < sizeof how ? given->size : sizeof how);
  }
  if (how.schedule > WEFT_LOOP_EACH) return -EINVAL;
  plan.schedule = how.schedule != WEFT_LOOP_DEFAULT ? static_cast<rt::loop_schedule>(how.schedule)
                                                    : rt::default_schedule();
  plan.members = how.members;
  plan.block = how.block;
  plan.cancel = how.cancel;
  plan.key = how.key;
  return 0;
}

// Has go() run by a task: the calling one, or one that is spawned for it.
template <class Go>
int in_task(Go go, void* site) noexcept {
  if (const int failed = rt::boot::ensure_started(); failed != 0) return failed;
  const rt::worker* w = rt::self();
  if (w != nullptr && w->current.get() != nullptr) return go();
  const auto call = [](void* arg) -> void* {
    return reinterpret_cast<void*>(static_cast<intptr_t>((*static_cast<Go*>(arg))()));
  };
  rt::task* t = nullptr;
  if (const int failed = rt::spawn_with(rt::self(), call, &go, site, {}, &t); failed != 0)
    return failed;
  void* result = nullptr;
  if (const int failed = rt::join_task(t, &result); failed != 0) return failed;
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

  void run(uint64_t first, uint64_t last) const {
    fn(static_cast<Value>(begin + first * step),
       static_cast<Value>(last == count ? end : begin + last * step), arg);
  }
  static void run_one(uint64_t i, void* v) { static_cast<values*>(v)->run(i, i + 1); }
  static void run_blocks(rt::loop_member& me, void* v) {
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

template <class Value>
int run_values(Value begin, Value end, int64_t step, void (*fn)(Value begin, Value end, void* arg),
               void* arg, const weft_loop_t* how, void* site) noexcept {
  if (fn == nullptr || step == 0) return -EINVAL;
  rt::loop_plan plan;
  if (const int bad = read_how(how, plan); bad != 0) return bad;
  plan.count = count_values(begin, end, step);
  if (plan.count == 0) return 0;
  values<Value> v{static_cast<uint64_t>(begin),
                  static_cast<uint64_t>(end),
                  static_cast<uint64_t>(step),
                  plan.count,
                  fn,
                  arg};
  if (plan.key == nullptr) plan.key = reinterpret_cast<const void*>(fn);
  plan.run = values<Value>::run_blocks;
  plan.argument = &v;
  plan.site = site;
  return in_task(
      [&]() noexcept {
        if (plan.schedule == rt::loop_schedule::each)
          return rt::run_each(plan, values<Value>::run_one, &v);
        return rt::run_loop(plan);
      },
      site);
}

}  // namespace

__attribute__((noinline)) int weft_loop_run(int64_t begin, int64_t end, int64_t step,
                                            weft_loop_fn_t fn, void* arg, const weft_loop_t* how) {
  return run_values<int64_t>(begin, end, step, fn, arg, how, WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_loop_run_unsigned(uint64_t begin, uint64_t end, int64_t step,
                                                     weft_loop_unsigned_fn_t fn, void* arg,
                                                     const weft_loop_t* how) {
  return run_values<uint64_t>(begin, end, step, fn, arg, how, WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_loop_share(uint64_t count, weft_loop_member_fn_t fn, void* arg,
                                              const weft_loop_t* how) {
  if (fn == nullptr) return -EINVAL;
  rt::loop_plan plan;
  if (const int bad = read_how(how, plan); bad != 0) return bad;
  if (plan.schedule == rt::loop_schedule::each) return -EINVAL;
  if (count == 0) return 0;
  struct call {
    weft_loop_member_fn_t fn;
    void* arg;
  } c{fn, arg};
  plan.count = count;
  if (plan.key == nullptr) plan.key = reinterpret_cast<const void*>(fn);
  plan.run = [](rt::loop_member& me, void* argument) {
    const call& mine = *static_cast<call*>(argument);
    mine.fn(reinterpret_cast<weft_loop_member_t*>(&me), mine.arg);
  };
  plan.argument = &c;
  plan.site = WEFT_CALL_SITE;
  return in_task([&]() noexcept { return rt::run_loop(plan); }, plan.site);
}

int weft_loop_next(weft_loop_member_t* me, uint64_t* first, uint64_t* last) {
  const rt::loop_member::block b = from(me).next();
  *first = b.first;
  *last = b.last;
  return b.empty() ? 0 : 1;
}

int weft_loop_is_stopped(const weft_loop_member_t* me) {
  return reinterpret_cast<const rt::loop_member*>(me)->stopped() ? 1 : 0;
}

int weft_loop_cancel(uint32_t* cancel) {
  if (cancel == nullptr) return -EINVAL;
  __atomic_store_n(cancel, 1, __ATOMIC_RELAXED);
  return 0;
}
