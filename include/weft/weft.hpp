// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weft for C++20: tasks, locks, loops and their like on the C functions of weft/weft.h.
#pragma once

#include "weft/cpp/standard.hpp"

#if __cplusplus >= 202002L
#include "weft/cpp/cancel.hpp"         // IWYU pragma: export
#include "weft/cpp/channel.hpp"        // IWYU pragma: export
#include "weft/cpp/condition.hpp"      // IWYU pragma: export
#include "weft/cpp/condition_any.hpp"  // IWYU pragma: export
#include "weft/cpp/fork.hpp"           // IWYU pragma: export
#include "weft/cpp/future.hpp"         // IWYU pragma: export
#include "weft/cpp/group.hpp"          // IWYU pragma: export
#include "weft/cpp/lock.hpp"           // IWYU pragma: export
#include "weft/cpp/loop.hpp"           // IWYU pragma: export
#include "weft/cpp/select.hpp"         // IWYU pragma: export
#include "weft/cpp/sync.hpp"           // IWYU pragma: export
#include "weft/cpp/task.hpp"           // IWYU pragma: export
#include "weft/cpp/task_local.hpp"     // IWYU pragma: export
#endif
