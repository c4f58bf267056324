// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the runtime waits for another thread that is inside a short section.
#include "sched/spin.hpp"

#include <sched.h>

#include "arch/cpu.hpp"

namespace weft::rt {

void spin_pause(unsigned spun) noexcept {
  constexpr unsigned before_yield = 64;
  if (spun < before_yield) {
    arch::pause();
  } else {
    sched_yield();
  }
}

}  // namespace weft::rt
