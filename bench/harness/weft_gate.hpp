// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A gate of two that take turns (turns_of_two.hpp): a semaphore of Weft's.
#pragma once

#include "harness/weft.hpp"

namespace weft::bench {

struct weft_gate {
  weft_semaphore_t semaphore = WEFT_SEMAPHORE_INIT(0);

  void wait() { must(weft_semaphore_wait(&semaphore), "weft_semaphore_wait"); }
  void post() { must(weft_semaphore_post(&semaphore, 1), "weft_semaphore_post"); }
};

}  // namespace weft::bench
