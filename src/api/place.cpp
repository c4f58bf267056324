// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/place.h.
#include <cerrno>

#include <weft/place.h>

#include "boot/boot.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

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
  const int failed = refused(worker, &rt::topo::places::workers);
  return failed != 0 ? failed : static_cast<int>(rt::number_of(rt::the().workers[worker].herd));
}

int weft_worker_processor(uint32_t worker) {
  const int failed = refused(worker, &rt::topo::places::workers);
  return failed != 0 ? failed : static_cast<int>(rt::the().map.processor[worker]);
}
