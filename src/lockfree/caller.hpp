// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What these algorithms borrow from their caller, because they make no system call themselves.
#pragma once

#include <cstddef>

namespace weft::rt {

// Memory for rings that grow. `take` returns nullptr on failure, else memory aligned for any
// pointer.
struct memory_source {
  void* (*take)(void* context, std::size_t bytes);
  void (*give)(void* context, void* memory, std::size_t bytes);
  void* context;
};

// Called while waiting for another thread that is inside a short section; `spun` counts from 0. It
// should pause the processor at first and give the processor away later, because the other thread
// may not be running.
using pause_fn = void (*)(unsigned spun);

}  // namespace weft::rt
