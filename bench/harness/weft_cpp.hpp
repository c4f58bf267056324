// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels need of Weft by weft.hpp.
#pragma once

#include <weft/weft.hpp>

#include "harness/weft_measure.hpp"

namespace weft::bench {

// Runs f() as a fork beside g().
template <class F, class G>
void both(F f, G g) {
  fork_join(f, g);
}

}  // namespace weft::bench
