// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coroutines beside tasks: co_await of what Weft waits for, and waiting for a coroutine in a task.
#pragma once

#include "weft/cpp/standard.hpp"

#if __cplusplus >= 202002L
#include "weft/cpp/coroutine.hpp"  // IWYU pragma: export
#endif
