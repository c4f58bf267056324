// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One start, one task on each worker, one stop: from the second start of the process on.
#pragma once

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int starts_full = 200;  // a sample
inline constexpr int starts_quick = 20;

}  // namespace weft::bench
