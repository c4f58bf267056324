// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What inlined code of programs takes for its worker where it may neither queue a fork nor call
// one.
//
// So it need not ask whether there is a worker: the deque seen here has no room, and holds no fork.
// It has the layout of a worker as far as weft/cpp/fork_abi.hpp knows it, which api/fork.cpp
// checks. Never written.
#pragma once

#include <cstdint>

#include "base/attributes.hpp"

namespace weft::rt {

struct fork_stand_in {
  alignas(line_bytes) int64_t bottom = 0;
  int64_t floor = INT64_MAX;
  int64_t limit = INT64_MIN;
  const void* const* slots = &no_fork;
  int64_t mask = 0;
  int64_t ask_end = INT64_MAX;

  static constexpr const void* no_fork = nullptr;
};

// The first line is a worker's own, of which nothing is read before the deque's.
struct alignas(line_bytes) fork_stand_in_worker {
  void* own[line_bytes / sizeof(void*)] = {};
  fork_stand_in deque;
};

}  // namespace weft::rt
