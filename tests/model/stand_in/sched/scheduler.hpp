// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What models have for src/sched/scheduler.hpp: two workers, which the model's threads share.
#pragma once

#include <cstdint>

#include "model.hpp"

namespace weft::rt {

struct worker {
  uint32_t index;
};
struct two_workers {
  uint32_t count = 2;
  worker workers[2] = {{0}, {1}};
};
inline two_workers& the() noexcept {
  static two_workers here;
  return here;
}
inline worker* self() noexcept { return &the().workers[rl::thread_index() % 2]; }

}  // namespace weft::rt
