// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine as the kernel describes it in /sys.
#pragma once

#include "os/affinity.hpp"
#include "topo/machine.hpp"

namespace weft::rt::topo {

// From the files below root ("" is the real root), the processors in `allowed` alone. False: the
// kernel does not say which processors make a core, or there is no memory.
[[nodiscard]] bool read_sys(const char* root, const os::cpu_set& allowed, machine& out) noexcept;

// Every processor a core of its own, one memory: what is left where nobody says more. False: no
// memory.
[[nodiscard]] bool read_flat(const os::cpu_set& allowed, machine& out) noexcept;

}  // namespace weft::rt::topo
