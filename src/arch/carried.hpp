// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a switch takes along in two registers, for the flow that it resumes.
#pragma once

#include <cstdint>

namespace weft::rt::arch {

struct carried {
  void* place = nullptr;  // null: nothing
  std::uint64_t value = 0;
};

}  // namespace weft::rt::arch
