// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shepherds and workers: which is whose, which take tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <qthread/qthread.h>

#include "record.hpp"

namespace weft::qt {

// At the start and the end of the runtime; hwpar: how many workers are enabled, 0: all.
void begin_places(std::size_t hwpar) noexcept;
void end_places() noexcept;
// In the child of a fork().
void begin_child_places() noexcept;

// A worker that takes tasks, of this shepherd or, if it is disabled, of the nearest that is not.
uint32_t worker_for(uint32_t shepherd) noexcept;

// The workers that take tasks, one after the other and again from the first: the first ones of all
// shepherds, then the second ones. So part i of something lies at shepherd i, counted round.
class workers_in_turn {
 public:
  uint32_t next() noexcept;

 private:
  std::size_t at_ = 0;
};

// Whose turn it is, where shepherds take turns.
uint32_t next_shepherd() noexcept;

// The caller's; NO_SHEPHERD outside workers.
uint32_t current_shepherd() noexcept;
// The same, and NO_SHEPHERD for what belongs to none: no task of ours, or one in a blocking action.
uint32_t current_shepherd(const record* caller) noexcept;

}  // namespace weft::qt
