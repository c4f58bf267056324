// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the C handle and the descriptor: the same address under two names.
#pragma once

#include <weft/types.h>

#include "sched/task.hpp"

namespace weft::rt {

inline task* from_handle(weft_task_t t) noexcept { return reinterpret_cast<task*>(t); }
inline task** from_handles(weft_task_t* t) noexcept { return reinterpret_cast<task**>(t); }
inline weft_task_t to_handle(task* t) noexcept { return reinterpret_cast<weft_task_t>(t); }

}  // namespace weft::rt
