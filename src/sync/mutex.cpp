// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locking a mutex where the caller cannot go on without.
#include "sync/mutex.hpp"

#include <sched.h>

#include "sync/cancel_scope.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

void mutex::lock_surely(void* site, uint32_t passed) noexcept {
  const cancel_shield shield;
  while (lock_slow(forever, site, passed) != 0) {
    sched_yield();
    if (try_lock()) return;
  }
}

}  // namespace weft::rt
