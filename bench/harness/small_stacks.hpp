// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of the system on stacks of 64 KiB, for kernels that make and end many.
#pragma once

#include <pthread.h>

#include "harness/report.hpp"

namespace weft::bench {

// For all threads that are made from now on and do not say otherwise. The C library keeps 40 MiB of
// stacks of threads that have ended, which are five of the usual 8 MiB: further ones it would map
// and unmap each time.
inline void use_small_stacks() {
  pthread_attr_t how;
  if (pthread_attr_init(&how) != 0 || pthread_attr_setstacksize(&how, 64 * 1024) != 0 ||
      pthread_setattr_default_np(&how) != 0)
    die("threads cannot have small stacks");
  pthread_attr_destroy(&how);
}

}  // namespace weft::bench
