// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process-wide barriers by the kernel's call of that name, in its expedited private forms.
#include "os/membarrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.hpp"
#include "os/errno_kept.hpp"

namespace weft::rt::os {

namespace {

bool succeeds(int command) noexcept {
  const errno_kept keep;
  return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

}  // namespace

// Once for real each: a sandbox may let the registration pass and forbid the rest.
bool membarrier_register() noexcept {
  return succeeds(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
         succeeds(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

bool restart_register() noexcept {
  return succeeds(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ) &&
         succeeds(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
}

// A barrier that did not happen would lose a wake-up or a lock, or run a task twice.
void membarrier() noexcept {
  WEFT_CHECK(succeeds(MEMBARRIER_CMD_PRIVATE_EXPEDITED),
             "the kernel refused a membarrier; set WEFT_MEMBARRIER=off");
}

void restart_others() noexcept {
  WEFT_CHECK(succeeds(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ),
             "the kernel refused a membarrier; set WEFT_MEMBARRIER=off");
}

}  // namespace weft::rt::os
