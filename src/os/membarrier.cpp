// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process-wide barrier by the kernel's call of that name, in its expedited private form.
#include "os/membarrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.hpp"
#include "os/errno_kept.hpp"

namespace weft::rt::os {

bool membarrier_register() noexcept {
  const errno_kept keep;
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0) return false;
  // Once for real: a sandbox may let the registration pass and forbid the rest.
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void membarrier() noexcept {
  const errno_kept keep;
  // A barrier that did not happen would lose a wake-up or run a task twice.
  WEFT_CHECK(::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0,
             "the kernel refused a membarrier; set WEFT_MEMBARRIER=off");
}

}  // namespace weft::rt::os
