// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the runtime waits for another thread that is inside a short section.
#pragma once

namespace weft::rt {

// Pauses the CPU at first, later gives it away: the other thread may not be running.
void spin_pause(unsigned spun) noexcept;

// The same where sections are so short that a worker alone there passes through many of them while
// another comes once: rests, longer each time, and a worker that was in a crowd just before rests
// that long at once. So workers that want one thing have it by turns of many sections, and its
// lines go from one to the other once a turn.
void spin_in_crowd(unsigned spun) noexcept;

}  // namespace weft::rt
