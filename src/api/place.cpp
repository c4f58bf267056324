// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/place.h.
#include <algorithm>
#include <cerrno>

#include <weft/place.h>

#include "boot/boot.hpp"
#include "sched/finish.hpp"
#include "sched/presence.hpp"
#include "sched/ready.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
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

int enable_worker(uint32_t worker, bool enabled) noexcept {
  const int failed = refused_worker(worker);
  return failed != 0 ? failed : rt::enable_workers(worker, 1, enabled);
}

int enable_shepherd(uint32_t shepherd, bool enabled) noexcept {
  const int failed = refused_shepherd(shepherd);
  if (failed != 0) return failed;
  const rt::shepherd& s = rt::the().shepherds[shepherd];
  return rt::enable_workers(s.first, s.count, enabled);
}

// Who waits until no task is bound to a worker.
struct until_freed : rt::end_listener {
  until_freed() noexcept
      : rt::end_listener{[](rt::end_listener& me) noexcept {
          (void)static_cast<until_freed&>(me).open.count_down(1);  // last use of me
        }} {}
  rt::latch open{1};
};

int remove_by(rt::worker& w, int64_t deadline_ns, void* site) noexcept {
  until_freed freed;
  const int asked = rt::remove_worker(w, &freed);
  if (asked != -EAGAIN) return asked;
  const int waited = freed.open.is_open() ? 0 : freed.open.wait_slow(deadline_ns, site);
  if (waited == 0) return 0;
  if (rt::keep_worker(w, freed)) return waited == -ETIMEDOUT ? -EBUSY : waited;
  freed.open.pass(site);  // who told it is about to open it
  return 0;
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

int weft_worker_disable(uint32_t worker) { return enable_worker(worker, false); }

int weft_worker_enable(uint32_t worker) { return enable_worker(worker, true); }

int weft_worker_is_enabled(uint32_t worker) {
  const int failed = refused_worker(worker);
  return failed != 0 ? failed : rt::is_enabled(worker) ? 1 : 0;
}

int weft_shepherd_disable(uint32_t shepherd) { return enable_shepherd(shepherd, false); }

int weft_shepherd_enable(uint32_t shepherd) { return enable_shepherd(shepherd, true); }

__attribute__((noinline)) int weft_worker_remove(uint32_t worker, int64_t deadline_ns) {
  const int failed = refused_worker(worker);
  if (failed != 0) return failed;
  if (deadline_ns < 0) return -EINVAL;
  rt::worker& w = rt::the().workers[worker];
  if (deadline_ns != 0) return remove_by(w, deadline_ns, WEFT_CALL_SITE);
  const int asked = rt::remove_worker(w, nullptr);
  return asked == -EAGAIN ? -EBUSY : asked;
}

int weft_worker_add(uint32_t worker) { return rt::add_worker(worker, rt::restart_thread, 0); }

int weft_worker_bind(uint32_t worker, uint32_t processor) {
  const int failed = refused_worker(worker);
  if (failed != 0) return failed;
  const rt::raw_array<uint32_t>& all = rt::the().map.all;
  const bool any = processor == WEFT_ANYWHERE;
  if (!any && std::find(all.begin(), all.end(), processor) == all.end()) return -ERANGE;
  rt::worker& w = rt::the().workers[worker];
  w.rebound_to.store_release(any ? rt::any_processor : processor);  // order_R1 -> order_R2
  rt::give_order(w);
  return 0;
}
