// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the runtime waits for another thread that is inside a short section.
#pragma once

namespace weft::rt {

// Pauses the CPU at first, later gives it away: the other thread may not be running.
void spin_pause(unsigned spun) noexcept;

}  // namespace weft::rt
