// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels need of Weft by its C functions.
#pragma once

#include "harness/weft_measure.hpp"

namespace weft::bench {

// Runs f() as a task beside g().
template <class F, class G>
void both(F f, G g) {
  in_task_beside(f, g);
}

}  // namespace weft::bench
