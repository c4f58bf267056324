// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out on what machine the process runs, once: later starts find the answer.
#pragma once

#include "topo/machine.hpp"

namespace weft::rt::topo {

// Where the answer came from.
enum class source { sys, hwloc, description, flat };

struct answer {
  const machine* m = nullptr;  // valid until the next question
  source from = source::flat;
};

enum class [[nodiscard]] read_result { ok, no_library, bad_description, no_processor, no_memory };

// chosen: "hwloc", "flat", or a description; null: the first of /sys, hwloc and flat that says
// something. All but a description are about the processors that the calling thread may use. One
// caller at a time.
read_result read_machine(const char* chosen, answer& out) noexcept;

// In the child of a fork: another thread of the parent may have been asking.
void forget_machine() noexcept;

}  // namespace weft::rt::topo
