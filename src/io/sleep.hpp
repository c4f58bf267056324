// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleeping until a moment.
#pragma once

#include <cstdint>

namespace weft::rt {

// 0, -EPERM (stackless), -ECANCELED, -ENOMEM.
int sleep_until(int64_t deadline_ns, void* site) noexcept;

}  // namespace weft::rt
