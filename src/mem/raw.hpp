// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of any size for rings, deque arrays and extension blocks.
#pragma once

#include <cstddef>

namespace weft::rt {

// At least `bytes` bytes, aligned to 64, contents undefined; nullptr when there is no memory.
// From 64 KiB on it is whole pages from the kernel, resident only where touched.
[[nodiscard]] void* raw_alloc(std::size_t bytes) noexcept;

// Takes back what raw_alloc(bytes) gave, with the same size; nullptr is allowed.
void raw_free(void* p, std::size_t bytes) noexcept;

}  // namespace weft::rt
