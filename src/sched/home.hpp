// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a parked stack, or a task that has not begun, may run next, and how urgently: one word.
//
// A free task of normal priority has `no_worker`, which is all that the common paths compare with.
// Else it is a worker's number (sticky and pinned tasks; they have no priority, their worker has
// them in order), or it is placed: it lies in a shepherd's place_queue, open to that shepherd's
// workers alone or to all, or in a pool of the program's own, which has no priorities.
#pragma once

#include <cstdint>

#include "base/attributes.hpp"
#include "sched/task_state.hpp"

namespace weft::rt {

enum class level : uint32_t { high, normal, low };
inline constexpr uint32_t level_count = 3;

// Values, so that each question is one comparison:
//   0 .. 0xffff                     a worker
//   (1 + level) << 16 | shepherd    placed, for that shepherd's workers
//   1 << 31 | pool                  in a pool of the program's own
//   0xffffff00 | level              placed, for all
//   no_worker                       free
//   no_home                         of no stack: it stands where there may be none
inline constexpr uint32_t open_to_all = 0xffff;  // in the place of a shepherd

namespace home_bits {
inline constexpr uint32_t first_placed = 1u << 16;
inline constexpr uint32_t first_pool = 1u << 31;
inline constexpr uint32_t first_open = 0xffffff00;
}  // namespace home_bits

inline constexpr uint32_t no_home = home_bits::first_open | 0xfe;

constexpr uint32_t make_home(uint32_t shepherd, level urgency) noexcept {
  const auto number = static_cast<uint32_t>(urgency);
  return shepherd == open_to_all ? home_bits::first_open | number : (1 + number) << 16 | shepherd;
}
constexpr bool is_worker(uint32_t home) noexcept { return home < home_bits::first_placed; }
// Under which a free task lies in a list that it was put into so that all can see it.
inline constexpr uint32_t home_of_free = make_home(open_to_all, level::normal);
// Whether it waits in lists beside the workers' queues: a shepherd's, or a pool.
constexpr bool is_placed(uint32_t home) noexcept {
  return home - home_bits::first_placed < no_worker - home_bits::first_placed;
}
// Whether any worker may run it, as far as its home says.
constexpr bool may_run_anywhere(uint32_t home) noexcept { return home >= home_bits::first_open; }

constexpr bool is_pool(uint32_t home) noexcept {
  return home - home_bits::first_pool < home_bits::first_open - home_bits::first_pool;
}
constexpr uint32_t pool_home(uint32_t number) noexcept { return home_bits::first_pool | number; }
constexpr uint32_t pool_in(uint32_t home) noexcept { return home & ~home_bits::first_pool; }

// Of a placed one that is in no pool.
constexpr uint32_t shepherd_in(uint32_t home) noexcept {
  return may_run_anywhere(home) ? open_to_all : home & 0xffff;
}
constexpr level level_in(uint32_t home) noexcept {
  return static_cast<level>(may_run_anywhere(home) ? home & 3 : (home >> 16) - 1);
}

// What flags say.
WEFT_ALWAYS_INLINE level level_of(const task_state& s) noexcept {
  if (s.has(flag_high)) return level::high;
  return s.has(flag_low) ? level::low : level::normal;
}

// The home of a fresh task that is bound to no worker.
WEFT_ALWAYS_INLINE uint32_t home_of_fresh(const task_state& s) noexcept {
  if (!s.has(flag_placed | flag_high | flag_low)) return no_worker;
  if (s.has(flag_pool)) return pool_home(s.home());
  return make_home(s.has(flag_placed) ? s.home() : open_to_all, level_of(s));
}

}  // namespace weft::rt
