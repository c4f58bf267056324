// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/place.h.
#include <cerrno>

#include <weft/place.h>

#include "base/check.hpp"
#include "boot/boot.hpp"
#include "sched/presence.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sched/takers.hpp"
#include "sched/worker_thread.hpp"
#include "sync/latch.hpp"
#include "sync/wait.hpp"

namespace rt = weft::rt;

namespace {

// 0, or why there is no such thing.
int refused(uint32_t number, uint32_t rt::topo::places::* count) noexcept {
  if (!rt::boot::running()) return -ENOTCONN;
  return number < rt::the().map.*count ? 0 : -ERANGE;
}

int refused_shepherd(uint32_t number) noexcept {
  return refused(number, &rt::topo::places::shepherds);
}

int refused_worker(uint32_t number) noexcept { return refused(number, &rt::topo::places::workers); }

rt::chosen_workers one(uint32_t worker) noexcept { return {worker, false}; }
rt::chosen_workers all_of(uint32_t shepherd) noexcept { return {shepherd, true}; }

// Who waits until workers may go.
struct until_free : rt::removal {
  explicit until_free(rt::chosen_workers which) noexcept
      : rt::removal{{[](rt::end_listener& me) noexcept {
                      (void)static_cast<until_free&>(me).open.count_down(1);  // last use of me
                    }},
                    which,
                    rt::self() == nullptr} {}
  rt::latch open{1};
};

int remove_by(rt::chosen_workers who, int64_t deadline_ns, void* site) noexcept {
  until_free r(who);
  for (;;) {
    const int asked = rt::pursue_removal(r);
    if (asked != -EAGAIN) return asked;
    const int waited = r.open.is_open() ? 0 : r.open.wait_slow(deadline_ns, site);
    if (waited != 0) {
      bool will_hear = false;
      const int left = rt::give_up_removal(r, will_hear);
      if (will_hear) r.open.pass(site);
      if (left != -EAGAIN) return left;
      return waited == -ETIMEDOUT ? -EBUSY : waited;
    }
    WEFT_CHECK(r.open.count_up(1) == 0, "the latch of a removal was open");
  }
}

// By what it is called with, and from where.
int remove(rt::chosen_workers who, int64_t deadline_ns, void* site) noexcept {
  if (deadline_ns < 0) return -EINVAL;
  if (deadline_ns != 0) return remove_by(who, deadline_ns, site);
  const int asked = rt::remove_workers(who);
  return asked == -EAGAIN ? -EBUSY : asked;
}

}  // namespace

uint32_t weft_shepherd_count(void) { return rt::boot::running() ? rt::the().shepherd_count : 0; }

uint32_t weft_shepherd_index(void) {
  const rt::worker* w = rt::self();
  return w != nullptr ? rt::number_of(w->herd) : WEFT_ANYWHERE;
}

int weft_shepherd_workers(uint32_t shepherd, uint32_t* first) {
  const int failed = refused_shepherd(shepherd);
  if (failed != 0) return failed;
  const rt::shepherd& s = rt::the().shepherds[shepherd];
  if (first != nullptr) *first = s.first;
  return static_cast<int>(s.count);
}

int weft_shepherd_distance(uint32_t from, uint32_t to) {
  int failed = refused_shepherd(from);
  if (failed == 0) failed = refused_shepherd(to);
  if (failed != 0) return failed;
  const rt::topo::places& map = rt::the().map;
  return map.distances[size_t{from} * map.shepherds + to];
}

int weft_shepherd_near(uint32_t from, uint32_t* out, size_t room) {
  if (out == nullptr && room != 0) return -EINVAL;
  const int failed = refused_shepherd(from);
  if (failed != 0) return failed;
  const rt::shepherd& s = rt::the().shepherds[from];
  const uint32_t count = rt::the().shepherd_count;
  for (uint32_t i = 0; i < count && i < room; ++i) out[i] = s.near[i];
  return static_cast<int>(count);
}

int weft_worker_shepherd(uint32_t worker) {
  const int failed = refused_worker(worker);
  return failed != 0 ? failed : static_cast<int>(rt::number_of(rt::the().workers[worker].herd));
}

int weft_worker_processor(uint32_t worker) {
  const int failed = refused_worker(worker);
  return failed != 0 ? failed : static_cast<int>(rt::the().map.processor[worker]);
}

int weft_worker_disable(uint32_t worker) { return rt::enable_workers(one(worker), false); }

int weft_worker_enable(uint32_t worker) { return rt::enable_workers(one(worker), true); }

int weft_worker_is_enabled(uint32_t worker) {
  const int failed = refused_worker(worker);
  return failed != 0 ? failed : rt::is_enabled(worker) ? 1 : 0;
}

int weft_shepherd_disable(uint32_t shepherd) { return rt::enable_workers(all_of(shepherd), false); }

int weft_shepherd_enable(uint32_t shepherd) { return rt::enable_workers(all_of(shepherd), true); }

__attribute__((noinline)) int weft_worker_remove(uint32_t worker, int64_t deadline_ns) {
  return remove(one(worker), deadline_ns, WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_shepherd_remove(uint32_t shepherd, int64_t deadline_ns) {
  return remove(all_of(shepherd), deadline_ns, WEFT_CALL_SITE);
}

int weft_worker_add(uint32_t worker) { return rt::add_workers(one(worker), rt::restart_thread); }

int weft_shepherd_add(uint32_t shepherd) {
  return rt::add_workers(all_of(shepherd), rt::restart_thread);
}

int weft_worker_bind(uint32_t worker, uint32_t processor) {
  return rt::rebind_workers(one(worker), &processor, processor == WEFT_ANYWHERE ? 0 : 1);
}

int weft_shepherd_bind(uint32_t shepherd, const uint32_t* processors, size_t count) {
  if (processors == nullptr && count != 0) return -EINVAL;
  return rt::rebind_workers(all_of(shepherd), processors, count);
}
