// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says why a stackless task cannot do what it asked for.
#pragma once

#include "base/attributes.hpp"
#include "sched/task.hpp"

namespace weft::rt {

// Writes one line to standard error the first time it happens in the process; returns -EPERM.
WEFT_COLD int refuse_to_block(const char* call, const task& t) noexcept;

}  // namespace weft::rt
