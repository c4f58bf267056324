// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place that starts and stops everything.
#pragma once

#include <weft/runtime.h>

namespace weft::rt::boot {

// See weft_start and weft_stop.
int start(const weft_config_t* config) noexcept;
int stop() noexcept;

// For calls that need the runtime: starts it with the environment's options if it does not run. The
// process's first thread becomes worker 0 (unless WEFT_MAIN=guest), any other stays outside.
// 0, or as start().
int ensure_started() noexcept;

bool running() noexcept;

}  // namespace weft::rt::boot
