// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many CPUs this process may keep busy: the affinity mask, limited by the CPU quotas set on it.
#pragma once

namespace weft::rt::os {

struct cpu_count {
  unsigned count;  // at least 1
  char why[160];   // one sentence without a full stop, for WEFT_INFO; a long path in it is cut
};

// The affinity mask of the calling thread (of any size) and the control groups of this process.
[[nodiscard]] cpu_count usable_cpus() noexcept;

// The same from the files below root ("" is the real root) and a given size of the affinity mask.
// Reads root/proc/self/cgroup and root/proc/self/mountinfo, then the quota files of the process's
// own group and of all groups above it, up to the mount, in both versions of the control-group
// interface. What cannot be read limits nothing.
[[nodiscard]] cpu_count usable_cpus_from(const char* root, unsigned affinity_count) noexcept;

}  // namespace weft::rt::os
