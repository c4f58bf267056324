// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows what the process may use while Weft runs: processors, and the quota of its control
// groups.
#pragma once

#include <cstdint>

#include "os/affinity.hpp"

namespace weft::rt::boot {

// How often somebody looks. A look reads some files: 0.2 ms here, two thousandths of a processor.
// Quotas are given out in periods of 100 ms, so nobody could tell an earlier answer.
inline constexpr int64_t follow_every_ns = 100'000'000;

// Workers for `now` processors, where `workers` were started on `at_start`: no more than there are
// processors, or, where more than that were asked for, as many for each as then. At least 1.
uint32_t workers_for(uint32_t workers, uint32_t at_start, uint32_t now) noexcept;

// The processors that are in all masks that speak for the process: the calling thread's, and that
// of the thread that started Weft, but while Weft has bound it.
struct watched_masks {
  int64_t starter = 0;  // its number; 0: it does not speak for the process
  // False: they changed while they were read, or the starter was bound or unbound meanwhile.
  [[nodiscard]] bool read(os::cpu_set& out) const noexcept;
};

// What the process might use when Weft started.
struct usable_at_start {
  os::cpu_set mask;   // of the thread that started Weft, before it was bound
  uint32_t cpus = 1;  // so many of them at a time
};

// One look, by the files below root ("" is the real root) and a mask: workers take tasks, or do
// not, as follows from them.
void follow_once(const char* root, const os::cpu_set& mask, const usable_at_start& start) noexcept;

// A thread that looks, from now until the stop. 0, -EAGAIN (no more threads).
[[nodiscard]] int start_following(const usable_at_start& start, watched_masks masks) noexcept;
void stop_following() noexcept;  // also where nobody follows
// In the child of a fork: there is no such thread.
void forget_following() noexcept;

}  // namespace weft::rt::boot
