// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/sync.h: arguments are checked here, the work is done below.
#include <cerrno>
#include <new>

#include <weft/sync.h>

#include "base/attributes.hpp"
#include "sync/barrier.hpp"
#include "sync/flow.hpp"
#include "sync/future.hpp"
#include "sync/latch.hpp"
#include "sync/once.hpp"
#include "sync/semaphore.hpp"
#include "sync/sinc.hpp"
#include "sync/wait.hpp"

namespace rt = weft::rt;

static_assert(sizeof(rt::semaphore) <= sizeof(weft_semaphore_t));
static_assert(sizeof(rt::barrier) <= sizeof(weft_barrier_t));
static_assert(sizeof(rt::latch) <= sizeof(weft_latch_t));
static_assert(sizeof(rt::once) <= sizeof(weft_once_t));
static_assert(sizeof(rt::future) <= sizeof(weft_future_t));
static_assert(sizeof(rt::sinc) <= sizeof(weft_sinc_t));
static_assert(rt::queue_word::state_shift == 2, "WEFT_SEMAPHORE_INIT, WEFT_LATCH_INIT");

namespace {

constexpr size_t most_value_bytes = size_t{16} << 20;

rt::semaphore& from(weft_semaphore_t* s) noexcept { return *reinterpret_cast<rt::semaphore*>(s); }
rt::barrier& from(weft_barrier_t* b) noexcept { return *reinterpret_cast<rt::barrier*>(b); }
rt::latch& from(weft_latch_t* l) noexcept { return *reinterpret_cast<rt::latch*>(l); }
rt::once& from(weft_once_t* o) noexcept { return *reinterpret_cast<rt::once*>(o); }
rt::future& from(weft_future_t* f) noexcept { return *reinterpret_cast<rt::future*>(f); }
rt::sinc& from(weft_sinc_t* s) noexcept { return *reinterpret_cast<rt::sinc*>(s); }

WEFT_ALWAYS_INLINE int take(weft_semaphore_t* semaphore, int64_t deadline_ns, void* site) noexcept {
  if (semaphore == nullptr) [[unlikely]]
    return -EINVAL;
  return from(semaphore).try_take() ? 0 : from(semaphore).take_slow(deadline_ns, site);
}

int await_latch(weft_latch_t* latch, int64_t deadline_ns, void* site) noexcept {
  if (latch == nullptr) return -EINVAL;
  return from(latch).is_open() ? 0 : from(latch).wait_slow(deadline_ns, site);
}

// By whoever finds it not done.
WEFT_COLD int call_first(rt::once& o, void (*fn)(void* arg), void* arg, bool may_wait,
                         int64_t deadline_ns, void* site) noexcept {
  const uintptr_t me = rt::this_flow();
  if (o.begin(me)) {
    fn(arg);
    o.finish();
    return 0;
  }
  if (o.runs_in(me)) return -EDEADLK;
  if (!may_wait) return o.is_done() ? 0 : -EBUSY;
  return o.wait_slow(deadline_ns, site);
}

int get(weft_future_t* future, void** value, int64_t deadline_ns, void* site) noexcept {
  if (future == nullptr) return -EINVAL;
  rt::future& f = from(future);
  if (!f.is_given()) {
    const int failed = f.wait_slow(deadline_ns, site);
    if (failed != 0) return failed;
  }
  return f.read(value);
}

int await_sinc(weft_sinc_t* sinc, void* result, int64_t deadline_ns, void* site) noexcept {
  if (sinc == nullptr) return -EINVAL;
  rt::sinc& s = from(sinc);
  if (!s.is_complete()) {
    const int failed = s.wait_slow(deadline_ns, site);
    if (failed != 0) return failed;
  }
  s.read(result);
  return 0;
}

}  // namespace

int weft_semaphore_init(weft_semaphore_t* semaphore, uint32_t units) {
  if (semaphore == nullptr || units > rt::semaphore::most) return -EINVAL;
  new (semaphore) rt::semaphore(units);
  return 0;
}

int weft_semaphore_post(weft_semaphore_t* semaphore, uint32_t units) {
  if (semaphore == nullptr) [[unlikely]]
    return -EINVAL;
  return from(semaphore).post(units);
}

__attribute__((noinline)) int weft_semaphore_wait(weft_semaphore_t* semaphore) {
  if (semaphore == nullptr) [[unlikely]]
    return -EINVAL;
  if (from(semaphore).take_at_once()) return 0;
  return from(semaphore).take_slow(WEFT_CALL_SITE);
}

int weft_semaphore_try_wait(weft_semaphore_t* semaphore) {
  if (semaphore == nullptr) return -EINVAL;
  return from(semaphore).try_take() ? 0 : -EBUSY;
}

__attribute__((noinline)) int weft_semaphore_wait_until(weft_semaphore_t* semaphore,
                                                        int64_t deadline_ns) {
  return take(semaphore, deadline_ns, WEFT_CALL_SITE);
}

int weft_semaphore_value(const weft_semaphore_t* semaphore) {
  if (semaphore == nullptr) return -EINVAL;
  return static_cast<int>(reinterpret_cast<const rt::semaphore*>(semaphore)->units());
}

int weft_barrier_init(weft_barrier_t* barrier, uint32_t parties) {
  if (barrier == nullptr || parties == 0) return -EINVAL;
  new (barrier) rt::barrier(parties);
  return 0;
}

__attribute__((noinline)) int weft_barrier_wait(weft_barrier_t* barrier) {
  return barrier != nullptr ? from(barrier).arrive(rt::forever, WEFT_CALL_SITE) : -EINVAL;
}

int weft_barrier_try_wait(weft_barrier_t* barrier) {
  return barrier != nullptr ? from(barrier).try_arrive() : -EINVAL;
}

__attribute__((noinline)) int weft_barrier_wait_until(weft_barrier_t* barrier,
                                                      int64_t deadline_ns) {
  return barrier != nullptr ? from(barrier).arrive(deadline_ns, WEFT_CALL_SITE) : -EINVAL;
}

int weft_latch_init(weft_latch_t* latch, uint32_t count) {
  if (latch == nullptr) return -EINVAL;
  new (latch) rt::latch(count);
  return 0;
}

int weft_latch_count_down(weft_latch_t* latch, uint32_t by) {
  return latch != nullptr ? from(latch).count_down(by) : -EINVAL;
}

int weft_latch_count_up(weft_latch_t* latch, uint32_t by) {
  return latch != nullptr ? from(latch).count_up(by) : -EINVAL;
}

__attribute__((noinline)) int weft_latch_wait(weft_latch_t* latch) {
  return await_latch(latch, rt::forever, WEFT_CALL_SITE);
}

int weft_latch_try_wait(weft_latch_t* latch) {
  if (latch == nullptr) return -EINVAL;
  return from(latch).is_open() ? 0 : -EBUSY;
}

__attribute__((noinline)) int weft_latch_wait_until(weft_latch_t* latch, int64_t deadline_ns) {
  return await_latch(latch, deadline_ns, WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_once_call(weft_once_t* once, void (*fn)(void* arg), void* arg) {
  if (once == nullptr || fn == nullptr) return -EINVAL;
  if (from(once).is_done()) [[likely]]
    return 0;
  return call_first(from(once), fn, arg, true, rt::forever, WEFT_CALL_SITE);
}

int weft_once_try_call(weft_once_t* once, void (*fn)(void* arg), void* arg) {
  if (once == nullptr || fn == nullptr) return -EINVAL;
  return from(once).is_done() ? 0 : call_first(from(once), fn, arg, false, rt::forever, nullptr);
}

__attribute__((noinline)) int weft_once_call_until(weft_once_t* once, void (*fn)(void* arg),
                                                   void* arg, int64_t deadline_ns) {
  if (once == nullptr || fn == nullptr) return -EINVAL;
  if (from(once).is_done()) return 0;
  return call_first(from(once), fn, arg, true, deadline_ns, WEFT_CALL_SITE);
}

int weft_future_set(weft_future_t* future, void* value) {
  return future != nullptr ? from(future).give(value, 0) : -EINVAL;
}

int weft_future_fail(weft_future_t* future, int error) {
  return future != nullptr && error < 0 ? from(future).give(nullptr, error) : -EINVAL;
}

__attribute__((noinline)) int weft_future_get(weft_future_t* future, void** value) {
  return get(future, value, rt::forever, WEFT_CALL_SITE);
}

int weft_future_try_get(weft_future_t* future, void** value) {
  if (future == nullptr) return -EINVAL;
  return from(future).is_given() ? from(future).read(value) : -EBUSY;
}

__attribute__((noinline)) int weft_future_get_until(weft_future_t* future, void** value,
                                                    int64_t deadline_ns) {
  return get(future, value, deadline_ns, WEFT_CALL_SITE);
}

int weft_future_is_set(const weft_future_t* future) {
  if (future == nullptr) return -EINVAL;
  return reinterpret_cast<const rt::future*>(future)->is_given() ? 1 : 0;
}

int weft_sinc_init(weft_sinc_t* sinc, const void* initial, size_t value_bytes, weft_reduce_t reduce,
                   uint32_t expected) {
  if (sinc == nullptr || value_bytes > most_value_bytes) return -EINVAL;
  if ((value_bytes != 0) != (initial != nullptr) || (value_bytes != 0) != (reduce != nullptr))
    return -EINVAL;
  return from(sinc).begin(initial, value_bytes, reduce, expected);
}

int weft_sinc_destroy(weft_sinc_t* sinc) {
  if (sinc != nullptr) from(sinc).end();
  return 0;
}

int weft_sinc_reset(weft_sinc_t* sinc, uint32_t expected) {
  if (sinc == nullptr) return -EINVAL;
  from(sinc).reset(expected);
  return 0;
}

int weft_sinc_expect(weft_sinc_t* sinc, uint32_t more) {
  return sinc != nullptr ? from(sinc).expect(more) : -EINVAL;
}

int weft_sinc_submit(weft_sinc_t* sinc, const void* value) {
  return sinc != nullptr ? from(sinc).submit(value) : -EINVAL;
}

__attribute__((noinline)) int weft_sinc_wait(weft_sinc_t* sinc, void* result) {
  return await_sinc(sinc, result, rt::forever, WEFT_CALL_SITE);
}

int weft_sinc_try_wait(weft_sinc_t* sinc, void* result) {
  if (sinc == nullptr) return -EINVAL;
  if (!from(sinc).is_complete()) return -EBUSY;
  from(sinc).read(result);
  return 0;
}

__attribute__((noinline)) int weft_sinc_wait_until(weft_sinc_t* sinc, void* result,
                                                   int64_t deadline_ns) {
  return await_sinc(sinc, result, deadline_ns, WEFT_CALL_SITE);
}
