// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays whose segments belong to shepherds: one block of memory, and a table of shepherds behind
// it.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <qthread/qarray.h>
#include <qthread/qtimer.h>
#include <sys/mman.h>
#include <unistd.h>

#include "group.hpp"
#include "passed_enum.hpp"
#include "runtime.hpp"

namespace weft::qt {

namespace {

constexpr std::size_t segment_pages = 4;  // where the caller does not say

// How many segments of DIST and ALL_SAME arrays each shepherd has, for those that go to the least.
std::atomic<std::size_t> segments_at[most_workers];

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t segments_of(const qarray& a) noexcept {
  return (a.count + a.segment_size - 1) / a.segment_size;
}

// The shepherds of a DIST array's segments.
qthread_shepherd_id_t* table_of(const qarray& a) noexcept {
  return reinterpret_cast<qthread_shepherd_id_t*>(a.base_ptr + segments_of(a) * a.segment_bytes);
}

std::size_t mapped_bytes(const qarray& a) noexcept {
  const std::size_t segments = segments_of(a);
  const std::size_t all = segments * (a.segment_bytes + sizeof(qthread_shepherd_id_t));
  const std::size_t page = page_bytes();
  return (all + page - 1) / page * page;
}

std::size_t shepherds() noexcept { return the.is_running() ? the.shepherds : 1; }

qthread_shepherd_id_t at_random() noexcept {
  return static_cast<qthread_shepherd_id_t>(qtimer_fastrand() % shepherds());
}

qthread_shepherd_id_t with_least() noexcept {
  std::size_t best = 0;
  for (std::size_t s = 1; s < shepherds(); ++s)
    if (segments_at[s].load(std::memory_order_relaxed) <
        segments_at[best].load(std::memory_order_relaxed))
      best = s;
  return static_cast<qthread_shepherd_id_t>(best);
}

qthread_shepherd_id_t local() noexcept {
  const qthread_shepherd_id_t s = qthread_shep();
  return s != NO_SHEPHERD ? s : 0;
}

// Segment i where each shepherd has a row of them, the first `extras` one more.
qthread_shepherd_id_t in_fields(std::size_t i, std::size_t per, std::size_t extras) noexcept {
  const std::size_t in_longer = extras * (per + 1);
  if (i < in_longer) return static_cast<qthread_shepherd_id_t>(i / (per + 1));
  return static_cast<qthread_shepherd_id_t>(extras + (i - in_longer) / per);
}

void settle(qthread_shepherd_id_t from, qthread_shepherd_id_t to, std::size_t n) noexcept {
  if (from != NO_SHEPHERD) segments_at[from].fetch_sub(n, std::memory_order_relaxed);
  if (to != NO_SHEPHERD) segments_at[to].fetch_add(n, std::memory_order_relaxed);
}

void distribute(qarray& a, distribution_t d) noexcept {
  const std::size_t segments = segments_of(a);
  const std::size_t per = segments / shepherds(), extras = segments % shepherds();
  switch (d) {
    case FIXED_HASH:
      a.dist_type = FIXED_HASH;
      return;
    case FIXED_FIELDS:
      a.dist_type = FIXED_FIELDS;
      a.dist_specific.stripes.segs_per_shep = per;
      a.dist_specific.stripes.extras = extras;
      return;
    case ALL_SAME:
    case ALL_LOCAL:
    case ALL_RAND:
    case ALL_LEAST: {
      a.dist_type = ALL_SAME;
      const auto s = d == ALL_RAND ? at_random() : d == ALL_LEAST ? with_least() : local();
      a.dist_specific.dist_shep = s;
      settle(NO_SHEPHERD, s, segments);
      return;
    }
    case DIST:
    case DIST_RAND:
    case DIST_STRIPES:
    case DIST_FIELDS:
    case DIST_LEAST:
      break;
  }
  a.dist_type = DIST;
  for (std::size_t i = 0; i < segments; ++i) {
    qthread_shepherd_id_t s = 0;
    if (d == DIST_STRIPES) s = static_cast<qthread_shepherd_id_t>(i % shepherds());
    if (d == DIST_FIELDS) s = in_fields(i, per, extras);
    if (d == DIST_LEAST) s = with_least();
    if (d == DIST || d == DIST_RAND) s = at_random();
    table_of(a)[i] = s;
    settle(NO_SHEPHERD, s, 1);
  }
}

qthread_shepherd_id_t shepherd_of_segment(const qarray& a, std::size_t i) noexcept {
  switch (a.dist_type) {
    case ALL_SAME:
      return a.dist_specific.dist_shep;
    case DIST:
      return table_of(a)[i];
    case FIXED_FIELDS:
      return in_fields(i, a.dist_specific.stripes.segs_per_shep, a.dist_specific.stripes.extras);
    default:
      return static_cast<qthread_shepherd_id_t>(i % shepherds());
  }
}

// One more than the highest of a range's segments.
std::size_t shepherds_named(const qarray& a, std::size_t start, std::size_t stop) noexcept {
  std::size_t n = 0;
  stop = std::min(stop, a.count);
  for (std::size_t i = start / a.segment_size; i * a.segment_size < stop; ++i)
    n = std::max(n, std::size_t{shepherd_of_segment(a, i)} + 1);
  return n;
}

// body(shepherd, from, to) for each run of elements in one segment, those of a shepherd one after
// the other in a task there. A eureka does not end the caller here.
template <class Body>
void at_shepherds(const qarray& a, std::size_t start, std::size_t stop, const Body& body) noexcept {
  stop = std::min(stop, a.count);
  if (start >= stop) return;
  struct share {
    const qarray* a;
    std::size_t start, stop;
    const Body* body;
    std::size_t shepherd;

    void run() const noexcept {
      for (std::size_t i = start / a->segment_size; i * a->segment_size < stop; ++i) {
        if (shepherd_of_segment(*a, i) != shepherd) continue;
        (*body)(shepherd, std::max(start, i * a->segment_size),
                std::min(stop, (i + 1) * a->segment_size));
      }
    }
  };
  const stays_on here;
  task_group group;
  bool has[most_workers] = {};
  for (std::size_t i = start / a.segment_size; i * a.segment_size < stop; ++i)
    has[shepherd_of_segment(a, i)] = true;
  for (std::size_t s = 0; s < most_workers; ++s) {
    if (!has[s]) continue;
    const share mine{&a, start, stop, &body, s};
    const auto run = [](void* arg) -> aligned_t {
      const share m = *static_cast<share*>(arg);
      m.run();
      return 0;
    };
    if (!group.fork(run, mine, s)) mine.run();
  }
  group.wait();
}

}  // namespace

}  // namespace weft::qt

namespace qt = weft::qt;

qarray* qarray_create_configured(size_t const count, size_t const unit_size, distribution_t const d,
                                 char const tight, int const seg_pages) {
  // A size that is rounded up is one still.
  if (count == 0 || unit_size == 0 || unit_size > SIZE_MAX / 4 || seg_pages < 0 ||
      qt::number_of(d) > ALL_LEAST)
    return nullptr;
  std::unique_ptr<qarray> a(new (std::nothrow) qarray{});
  if (a == nullptr) return nullptr;
  constexpr std::size_t align = sizeof(aligned_t);
  a->unit_size = tight != 0 ? unit_size : (unit_size + align - 1) / align * align;
  a->count = count;
  const std::size_t page = qt::page_bytes();
  const std::size_t pages =
      seg_pages != 0 ? static_cast<std::size_t>(seg_pages) : qt::segment_pages;
  // A unit that is larger than the pages has a segment of its own.
  a->segment_bytes = std::max(pages * page, (a->unit_size + page - 1) / page * page);
  a->segment_size = a->segment_bytes / a->unit_size;
  if (count > SIZE_MAX / 2 / a->unit_size) return nullptr;
  void* memory = mmap(nullptr, qt::mapped_bytes(*a), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  a->base_ptr = static_cast<char*>(memory);
  qt::distribute(*a, d);
  return a.release();
}

qarray* qarray_create(size_t const count, size_t const unit_size) {
  return qarray_create_configured(count, unit_size, FIXED_HASH, 0, 0);
}

qarray* qarray_create_tight(size_t const count, size_t const unit_size) {
  return qarray_create_configured(count, unit_size, FIXED_HASH, 1, 0);
}

void qarray_destroy(qarray* a) {
  if (a == nullptr) return;
  if (a->dist_type == ALL_SAME)
    qt::settle(a->dist_specific.dist_shep, NO_SHEPHERD, qt::segments_of(*a));
  if (a->dist_type == DIST)
    for (std::size_t i = 0; i < qt::segments_of(*a); ++i)
      qt::settle(qt::table_of(*a)[i], NO_SHEPHERD, 1);
  munmap(a->base_ptr, qt::mapped_bytes(*a));
  delete a;
}

void qarray_iter(qarray* a, size_t const startat, size_t const stopat, qthread_f func) {
  if (a == nullptr || func == nullptr) return;
  qt::at_shepherds(*a, startat, stopat, [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) func(qarray_elem_nomigrate(a, i));
  });
  qt::end_where_team_is_over();
}

void qarray_iter_loop(qarray* a, size_t const startat, size_t const stopat, qa_loop_f func,
                      void* arg) {
  if (a == nullptr || func == nullptr) return;
  qt::at_shepherds(*a, startat, stopat,
                   [&](std::size_t, std::size_t from, std::size_t to) { func(from, to, a, arg); });
  qt::end_where_team_is_over();
}

void qarray_iter_loop_nb(qarray* a, size_t const startat, size_t const stopat, qa_loop_f func,
                         void* arg, aligned_t* ret) {
  struct call {
    qarray* a;
    std::size_t start, stop;
    qa_loop_f func;
    void* arg;
  } const what{a, startat, stopat, func, arg};
  const auto run = [](void* given) -> aligned_t {
    const call c = *static_cast<call*>(given);
    qarray_iter_loop(c.a, c.start, c.stop, c.func, c.arg);
    return 0;
  };
  if (qthread_fork_copyargs(run, &what, sizeof what, ret) == QTHREAD_SUCCESS) return;
  qarray_iter_loop(a, startat, stopat, func, arg);
  if (ret != nullptr) qthread_writeF_const(ret, 0);
}

void qarray_iter_constloop(qarray const* a, size_t const startat, size_t const stopat,
                           qa_cloop_f func, void* arg) {
  if (a == nullptr || func == nullptr) return;
  qt::at_shepherds(*a, startat, stopat,
                   [&](std::size_t, std::size_t from, std::size_t to) { func(from, to, a, arg); });
  qt::end_where_team_is_over();
}

static void accumulate(qarray* a, size_t const startat, size_t const stopat, qa_loopr_f func,
                       void* arg, void* ret, size_t const retsize, qt_accum_f acc) {
  // A value for each shepherd that an array names, of an earlier start perhaps; one for the segment
  // at hand; and what *ret holds, with which each begins.
  const std::size_t stride = (retsize + 63) / 64 * 64, n = qt::shepherds_named(*a, startat, stopat);
  const std::unique_ptr<std::byte[]> values(new (std::nothrow) std::byte[stride * (2 * n + 1)]);
  if (values == nullptr) std::abort();  // there is no way to say so
  const qt::stays_on here;              // with the values
  std::byte* const initial = &values[stride * 2 * n];
  std::memcpy(initial, ret, retsize);
  bool has[qt::most_workers] = {};
  qt::at_shepherds(*a, startat, stopat, [&](std::size_t s, std::size_t from, std::size_t to) {
    std::byte* const sum = &values[stride * 2 * s];
    std::byte* const one = has[s] ? sum + stride : sum;
    std::memcpy(one, initial, retsize);
    func(from, to, a, arg, one);
    if (has[s]) acc(sum, one);
    has[s] = true;
  });
  bool any = false;
  for (std::size_t s = 0; s < n; ++s) {
    if (!has[s]) continue;
    if (any)
      acc(ret, &values[stride * 2 * s]);
    else
      std::memcpy(ret, &values[stride * 2 * s], retsize);
    any = true;
  }
}

void qarray_iter_loopaccum(qarray* a, size_t const startat, size_t const stopat, qa_loopr_f func,
                           void* arg, void* ret, size_t const retsize, qt_accum_f acc) {
  if (a == nullptr || func == nullptr || acc == nullptr) return;
  accumulate(a, startat, stopat, func, arg, ret, retsize, acc);
  qt::end_where_team_is_over();
}

void qarray_set_shepof(qarray* a, size_t const i, qthread_shepherd_id_t shep) {
  if (a == nullptr || i >= a->count || shep >= qt::shepherds()) return;
  if (a->dist_type == ALL_SAME) {
    qt::settle(a->dist_specific.dist_shep, shep, qt::segments_of(*a));
    a->dist_specific.dist_shep = shep;
  } else if (a->dist_type == DIST) {
    qthread_shepherd_id_t& of = qt::table_of(*a)[i / a->segment_size];
    qt::settle(of, shep, 1);
    of = shep;
  }
}

qthread_shepherd_id_t qarray_shepof(qarray const* a, size_t const index) {
  if (a == nullptr || index >= a->count) return NO_SHEPHERD;
  return qt::shepherd_of_segment(*a, index / a->segment_size);
}

void qarray_dist_like(qarray const* ref, qarray* mod) {
  if (ref == nullptr || mod == nullptr || qt::segments_of(*ref) != qt::segments_of(*mod)) return;
  const bool both_are_tables = ref->dist_type == DIST && mod->dist_type == DIST;
  const bool all_become_same =
      ref->dist_type == ALL_SAME && (mod->dist_type == ALL_SAME || mod->dist_type == DIST);
  if (!both_are_tables && !all_become_same) return;
  for (std::size_t i = 0; i < qt::segments_of(*mod); ++i)
    qarray_set_shepof(mod, i * mod->segment_size, qt::shepherd_of_segment(*ref, i));
}

void* qarray_elem_migrate(qarray const* a, size_t const index) {
  const qthread_shepherd_id_t s = qarray_shepof(a, index);
  if (s == NO_SHEPHERD) return nullptr;
  qthread_migrate_to(s);
  return qarray_elem_nomigrate(a, index);
}
