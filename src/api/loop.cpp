// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/loop.h: arguments are checked here, the work is done below.
#include "par/loop.hpp"

#include <cerrno>
#include <cstring>

#include <weft/loop.h>

#include "api/loop_call.hpp"
#include "base/attributes.hpp"
#include "base/sized.hpp"
#include "par/each.hpp"
#include "par/reduce.hpp"

namespace rt = weft::rt;

static_assert(WEFT_LOOP_ADAPTIVE == static_cast<int>(rt::loop_schedule::adaptive));
static_assert(WEFT_LOOP_EACH == static_cast<int>(rt::loop_schedule::each));

namespace {

rt::loop_member& from(weft_loop_member_t* m) noexcept {
  return *reinterpret_cast<rt::loop_member*>(m);
}

template <class Value>
int run_values(Value begin, Value end, int64_t step, void (*fn)(Value begin, Value end, void* arg),
               void* arg, const weft_loop_t* how, void* site) noexcept {
  rt::values<Value> v(begin, end, step, fn, arg);
  rt::loop_plan plan;
  if (const int bad = v.read(how, site, plan); bad != 0) return bad;
  if (plan.count == 0) return 0;
  return rt::in_task(
      [&]() noexcept {
        if (plan.schedule == rt::loop_schedule::each)
          return rt::run_each(plan, rt::values<Value>::run_one, &v);
        return rt::run_loop(plan);
      },
      site, plan.shepherd);
}

constexpr size_t most_value_bytes = size_t{16} << 20;

int read_reduction(const weft_reduction_t* given, weft_reduction_t& r) noexcept {
  if (given == nullptr || !rt::read_sized(*given, r)) return -EINVAL;
  const bool good = r.value_bytes != 0 && r.value_bytes <= most_value_bytes &&
                    r.identity != nullptr && r.reduce != nullptr && r.in_order <= 1;
  return good ? 0 : -EINVAL;
}

// Blocks of values, for the engine that knows numbers of iterations.
struct reduced_values {
  rt::values<int64_t> range;  // its fn is not called
  weft_loop_reduce_fn_t fn;
  void* arg;

  static void add(uint64_t first, uint64_t last, void* into, void* v) {
    const auto& mine = *static_cast<reduced_values*>(v);
    mine.fn(mine.range.value_at(first), mine.range.value_at(last), into, mine.arg);
  }
};

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
  if (const int bad = rt::read_how(how, fn, WEFT_CALL_SITE, plan); bad != 0) return bad;
  if (plan.schedule == rt::loop_schedule::each) return -EINVAL;
  if (count == 0) return 0;
  struct call {
    weft_loop_member_fn_t fn;
    void* arg;
  } c{fn, arg};
  plan.count = count;
  plan.run = [](rt::loop_member& me, void* argument) {
    const call& mine = *static_cast<call*>(argument);
    mine.fn(reinterpret_cast<weft_loop_member_t*>(&me), mine.arg);
  };
  plan.argument = &c;
  return rt::in_task([&]() noexcept { return rt::run_loop(plan); }, plan.site, plan.shepherd);
}

__attribute__((noinline)) int weft_loop_reduce(int64_t begin, int64_t end, int64_t step,
                                               weft_loop_reduce_fn_t fn, void* arg,
                                               const weft_reduction_t* reduction, void* result,
                                               const weft_loop_t* how) {
  if (fn == nullptr || step == 0 || result == nullptr) return -EINVAL;
  weft_reduction_t asked{};
  if (const int bad = read_reduction(reduction, asked); bad != 0) return bad;
  rt::loop_plan plan;
  if (const int bad = rt::read_how(how, fn, WEFT_CALL_SITE, plan); bad != 0) return bad;
  if (plan.schedule == rt::loop_schedule::each) return -EINVAL;
  const rt::values<int64_t> range(begin, end, step, nullptr, nullptr);
  plan.count = range.count;
  if (plan.count == 0) {
    std::memcpy(result, asked.identity, asked.value_bytes);
    return 0;
  }
  reduced_values v{range, fn, arg};
  const rt::reduction r{asked.value_bytes,   asked.identity,      asked.reduce,
                        asked.in_order == 1, reduced_values::add, &v};
  return rt::in_task([&]() noexcept { return rt::run_reduction(plan, r, result); }, plan.site,
                     plan.shepherd);
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

uint64_t weft_loop_stop_interval(const weft_loop_member_t* me) {
  return reinterpret_cast<const rt::loop_member*>(me)->stop_interval();
}

int weft_loop_cancel(uint32_t* cancel) {
  if (cancel == nullptr) return -EINVAL;
  __atomic_store_n(cancel, 1, __ATOMIC_RELAXED);
  return 0;
}
