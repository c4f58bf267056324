// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What models have for src/sync/flow.hpp.
#pragma once

#include <cstdint>

#include "model.hpp"

namespace weft::rt {

inline uintptr_t this_flow() noexcept { return rl::thread_index() + 1; }

}  // namespace weft::rt
