// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the runtime waits for another thread that is inside a short section.
#include "sched/spin.hpp"

#include <algorithm>
#include <sched.h>

#include "arch/cpu.hpp"
#include "os/clock.hpp"
#include "sched/self.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

void spin_pause(unsigned spun) noexcept {
  constexpr unsigned before_yield = 64;
  if (spun < before_yield) {
    arch::pause();
  } else {
    sched_yield();
  }
}

void spin_in_crowd(unsigned spun) noexcept {
  constexpr uint32_t most_doublings = 8;
  constexpr unsigned before_yield = 2;
  constexpr int64_t just_before_ns = 40'000;
  uint32_t doublings = std::min(spun, most_doublings);
  if (worker* const w = self(); w != nullptr) {
    const int64_t now = os::monotonic_ns();
    const bool again = spun != 0 || now - w->crowded_at.get() < just_before_ns;
    doublings = again ? std::min(w->crowd_doublings.get() + 1, most_doublings) : 0;
    w->crowd_doublings.set(doublings);
    w->crowded_at.set(now);
  }
  for (uint32_t i = 0; i < 1u << doublings; ++i) arch::pause();
  if (doublings == most_doublings && spun >= before_yield) sched_yield();
}

}  // namespace weft::rt
