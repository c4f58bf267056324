// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which workers are asked: one's own shepherd first, then the nearest.
#pragma once

#include "sched/scheduler.hpp"

namespace weft::rt {

// Calls what(s) for each shepherd, `from` and the nearest first, until that is true for one.
template <class What>
bool any_shepherd_near(const shepherd& from, What&& what) noexcept {
  for (uint32_t i = 0; i < the().shepherd_count; ++i)
    if (what(the().shepherds[from.near[i]])) return true;
  return false;
}

// Calls what(w) for each worker of a shepherd, the turn'th first, until that is true for one.
template <class What>
bool any_worker_of(const shepherd& s, uint32_t turn, What&& what) noexcept {
  uint32_t at = turn % s.count;
  for (uint32_t i = 0; i < s.count; ++i, at = at + 1 == s.count ? 0 : at + 1)
    if (what(the().workers[s.first + at])) return true;
  return false;
}

// Both: each worker, those of the nearest shepherds first.
template <class What>
bool any_worker_near(const shepherd& from, uint32_t turn, What&& what) noexcept {
  return any_shepherd_near(from, [&](const shepherd& s) { return any_worker_of(s, turn, what); });
}

}  // namespace weft::rt
