// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making the descriptor of a shared loop, and its end.
#include "par/shared_loop.hpp"

#include <algorithm>
#include <new>

#include "mem/raw.hpp"
#include "sched/self.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

namespace {

uint64_t divide_up(uint64_t a, uint64_t b) noexcept { return a / b + (a % b != 0 ? 1 : 0); }

bool counts_centrally(const loop_plan& p, uint64_t count) noexcept {
  if (p.schedule == loop_schedule::fixed)  // more blocks than a span counts
    return divide_up(count, p.least_block()) > iteration_span::most;
  return p.schedule == loop_schedule::guided || p.schedule == loop_schedule::factored;
}

uint64_t unit_of(const loop_plan& p, uint64_t count) noexcept {
  return p.schedule == loop_schedule::fixed ? p.least_block()
                                            : divide_up(count, iteration_span::most);
}

// Parts at least so long begin where a line does: that makes one longer than another by a
// hundredth.
constexpr uint64_t even_from = 100 * iteration_span::line;

}  // namespace

shared_loop::shared_loop(const loop_plan& p, uint64_t from, uint32_t parts,
                         bool by_counter) noexcept
    : plan(p),
      base(from),
      part_count(parts),
      central(by_counter),
      unit(central ? 1 : unit_of(p, p.count - from)),
      units(divide_up(p.count - from, unit)),
      ledger(units) {
  if (central) return;
  // Of the whole loop: one that began alone has the parts that it has elsewhere, but for what was
  // run.
  const uint64_t before = unit == 1 ? from : 0;
  const uint64_t whole = units + before;
  const uint64_t each = whole / parts;
  const uint64_t longer = whole % parts;  // so many of the first parts have one more
  uint64_t first = 0;
  uint64_t edge = 0;
  for (uint32_t i = 0; i < parts; ++i) {
    part* made = new (&at(i)) part;
    edge += each + (i < longer ? 1 : 0);
    const uint64_t last =
        each < even_from || edge == whole ? edge : iteration_span::evened(first, edge);
    made->span.put({std::max(first, before) - before, std::max(last, before) - before});
    first = last;
  }
}

shared_loop* shared_loop::make(const loop_plan& plan, uint64_t from, uint32_t parts) noexcept {
  const bool central = counts_centrally(plan, plan.count - from);
  const std::size_t size = bytes(central ? 0 : parts);
  worker* const w = self();
  void* place = w != nullptr ? w->spare_loop.take(size) : raw_alloc(size);
  return place != nullptr ? new (place) shared_loop(plan, from, parts, central) : nullptr;
}

void shared_loop::begin_with(uint32_t slot) noexcept {
  members.store_relaxed(1);                       // init: nobody else knows the loop
  if (!central) at(slot).taken.store_relaxed(1);  // init: as above
}

void shared_loop::release() noexcept {
  if (!ledger.drop()) return;
  const std::size_t size = bytes(central ? 0 : part_count);
  this->~shared_loop();
  if (worker* const w = self(); w != nullptr) {
    w->spare_loop.give(this, size);
  } else {
    raw_free(this, size);
  }
}

loop_member::block shared_loop::block_of(iteration_span::run r) const noexcept {
  return {base + r.first * unit, r.last == units ? plan.count : base + r.last * unit};
}

}  // namespace weft::rt
