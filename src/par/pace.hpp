// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long things take, in ticks of the cheapest clock: a scheduling step, and an iteration of a
// loop that ran before.
//
// A step is what it costs to take a block and to look at the clock; it is measured once in a
// process. All other times are multiples of it, so the clock's unit does not matter. What an
// iteration took is kept by the loop's key (its body) in a small table, in steps of an eighth of a
// power of two. It is written only where it is off by a factor of two, so that loops nested in
// others do not write one line from all workers. A wrong entry costs time only.
#pragma once

#include <cstdint>

#include "base/attributes.hpp"

namespace weft::rt::pace {

// A tick of the clock in these units, so that an iteration may take less than one.
inline constexpr double fine = 256;

// Multiples of a step:
inline constexpr double least_steps =
    20;  // a shorter block is not made smaller, nor believed to be slow
inline constexpr double bring_steps = 20;  // what is less is not worth bringing from another span
inline constexpr double aim_steps = 2048;  // what a block should take
inline constexpr double sure_steps = 4;    // a time below this says little
inline constexpr double wait_steps =
    4096;  // the caller waits awake for blocks of others: a few of them
inline constexpr double worth_steps = 256;  // a loop shorter than this wakes nobody
inline constexpr double awake_steps = 192;  // nor does it call who is awake, below this

// Ticks of a scheduling step; measured by the first who asks.
double step() noexcept;

// Ticks of one iteration of the loop with this key, as last seen; 0: not known.
double recall(const void* key) noexcept;
void learn(const void* key, double ticks) noexcept;

}  // namespace weft::rt::pace
