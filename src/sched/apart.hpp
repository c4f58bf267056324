// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps workers that are awake on processors of their own.
//
// A thread that is woken goes on where it ran before or where its waker runs, unless the kernel
// finds an idle processor near. Where few processors share a cache and some of them are busy it
// does not look (select_idle_cpu, since Linux 6.0: with two, never). So a worker that once met
// another on a processor comes back there at each wake, beside an idle one, for seconds. It notices
// and steps aside. See docs/design/0029-apart.md.
#pragma once

#include <cstdint>

#include "base/attributes.hpp"

namespace weft::rt {

struct worker;

// By any thread, which has found that target's thread sleeps and must be woken.
void wake_thread(worker& target) noexcept;

// By w's loop, at the base of a stack, of which it takes 6 KiB, when its thread was woken: if who
// woke it is a worker that goes on on the same processor, and w may run on one where no worker is
// awake, it moves there. The mask of its thread is what it was.
WEFT_COLD void step_apart(worker& w) noexcept;

}  // namespace weft::rt
