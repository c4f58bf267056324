// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that start when others are done.
#pragma once

#include <cstddef>

#include "sched/spawn.hpp"

namespace weft::rt {

// The others are waited for one after the other, and released; the array is copied. 0, or as
// make_task (nothing happened).
int spawn_after(worker* w, weft_fn_t fn, void* argument, void* site, const spawn_request& request,
                task* const* before, std::size_t count, task** out) noexcept;

}  // namespace weft::rt
