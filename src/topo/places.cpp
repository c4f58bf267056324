// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses a processor for each worker and draws the boundaries of shepherds between them.
#include "topo/places.hpp"

#include <algorithm>

namespace weft::rt::topo {

namespace {

// What the processors on one side of a boundary have in common. Where a cache of that level is
// missing, the next larger thing takes its place.
uint64_t group(const processor& p, boundary by) noexcept {
  constexpr unsigned kind_shift = 32;  // a cache and a node may have the same number
  const auto of_kind = [](uint32_t kind, uint32_t number) {
    return uint64_t{kind} << kind_shift | number;
  };
  switch (by) {
    case boundary::core:
      return of_kind(1, p.core);
    case boundary::l2:
      return p.l2 != nothing ? of_kind(2, p.l2) : of_kind(1, p.core);
    case boundary::l3:
      return p.l3 != nothing ? of_kind(3, p.l3) : of_kind(4, p.node);
    case boundary::numa:
      return of_kind(4, p.node);
    case boundary::socket:
      return of_kind(5, p.package);
    case boundary::automatic:
    case boundary::machine:
      break;
  }
  return 0;
}

bool several(const machine& m, boundary by) noexcept {
  for (const processor& p : m.processors)
    if (group(p, by) != group(m.processors[0], by)) return true;
  return false;
}

// The first `wanted` processors, cores before second hardware threads, then in the machine's order.
void choose(const machine& m, uint32_t wanted, raw_array<uint32_t>& out) noexcept {
  uint32_t taken = 0;
  for (uint32_t rank = 0; taken < wanted; ++rank)
    for (uint32_t i = 0; i < m.processors.size() && taken < wanted; ++i)
      if (m.processors[i].rank == rank) out[taken++] = i;
  std::sort(out.begin(), out.end());
}

// Where the processors of a group stand: together, because they are sorted.
void span_processors(const machine& m, uint64_t of, boundary by, uint32_t& first,
                     uint32_t& last) noexcept {
  const auto is_in = [&](const processor& p) { return group(p, by) == of; };
  const processor* begin = std::find_if(m.processors.begin(), m.processors.end(), is_in);
  const processor* end = std::find_if_not(begin, m.processors.end(), is_in);
  first = static_cast<uint32_t>(begin - m.processors.begin());
  last = static_cast<uint32_t>(end - m.processors.begin());
}

// Row `from`: by distance; of those that are equally far, the ones that follow `from` come first,
// so that not all begin at the same.
void sort_near(places& p, uint32_t from) noexcept {
  const uint32_t n = p.shepherds;
  uint16_t* row = &p.near[std::size_t{from} * n];
  const uint16_t* far = &p.distances[std::size_t{from} * n];
  for (uint32_t i = 0; i < n; ++i) row[i] = static_cast<uint16_t>((from + i) % n);
  std::sort(row + 1, row + n, [&](uint16_t a, uint16_t b) {
    if (far[a] != far[b]) return far[a] < far[b];
    return (a + n - from) % n < (b + n - from) % n;
  });
}

}  // namespace

void places::take(places& from) noexcept {
  workers = from.workers;
  shepherds = from.shepherds;
  by = from.by;
  described = from.described;
  first.take(from.first);
  processor.take(from.processor);
  all.take(from.all);
  of_first.take(from.of_first);
  of_last.take(from.of_last);
  distances.take(from.distances);
  near.take(from.near);
}

uint32_t places::shepherd_of(uint32_t worker) const noexcept {
  return static_cast<uint32_t>(std::upper_bound(first.begin(), first.end(), worker) -
                               first.begin()) -
         1;
}

boundary suggested(const machine& m) noexcept {
  for (const boundary by : {boundary::l3, boundary::numa, boundary::socket})
    if (several(m, by)) return by;
  return boundary::machine;
}

bool lay_out(const machine& m, uint32_t workers, boundary by, places& out) noexcept {
  const auto have = static_cast<uint32_t>(m.processors.size());
  const uint32_t used = std::min(workers, have);
  raw_array<uint32_t> chosen;
  if (!chosen.make(used) || !out.processor.make(workers)) return false;
  choose(m, used, chosen);
  const auto of_worker = [&](uint32_t w) -> const processor& {
    return m.processors[chosen[uint64_t{w} * used / workers]];
  };
  uint32_t shepherds = 0;
  for (uint32_t w = 0; w < workers; ++w) {
    out.processor[w] = of_worker(w).number;
    if (w == 0 || group(of_worker(w), by) != group(of_worker(w - 1), by)) ++shepherds;
  }
  const std::size_t pairs = std::size_t{shepherds} * shepherds;
  if (!out.all.make(have) || !out.of_first.make(shepherds) || !out.of_last.make(shepherds) ||
      !out.first.make(shepherds + 1) || !out.distances.make(pairs) || !out.near.make(pairs))
    return false;
  out.workers = workers;
  out.shepherds = shepherds;
  out.by = by;
  uint32_t s = 0;
  for (uint32_t w = 0; w < workers; ++w) {
    if (w > 0 && group(of_worker(w), by) == group(of_worker(w - 1), by)) continue;
    if (w > 0) ++s;
    out.first[s] = w;
    span_processors(m, group(of_worker(w), by), by, out.of_first[s], out.of_last[s]);
  }
  out.first[shepherds] = workers;
  for (uint32_t i = 0; i < have; ++i) out.all[i] = m.processors[i].number;
  for (uint32_t a = 0; a < shepherds; ++a)
    for (uint32_t b = 0; b < shepherds; ++b)
      out.distances[std::size_t{a} * shepherds + b] = static_cast<uint16_t>(
          a == b ? 0 : distance(m, of_worker(out.first[a]), of_worker(out.first[b])));
  for (uint32_t a = 0; a < shepherds; ++a) sort_near(out, a);
  return true;
}

}  // namespace weft::rt::topo
