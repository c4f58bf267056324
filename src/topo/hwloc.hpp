// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine as hwloc sees it, or one that hwloc makes up from a description.
#pragma once

#include "os/affinity.hpp"
#include "topo/machine.hpp"

namespace weft::rt::topo {

enum class [[nodiscard]] hwloc_result {
  ok,
  no_library,
  bad_description,
  no_processor,  // that is allowed, or hwloc cannot tell: it may have been told of another machine
  no_memory
};

// description: of a made-up machine, as hwloc's tools take it ("pack:2 l3:4 core:8 pu:2"); null:
// this one. Only the processors in `allowed`; null: all.
hwloc_result read_hwloc(const char* description, const os::cpu_set* allowed, machine& out) noexcept;

}  // namespace weft::rt::topo
