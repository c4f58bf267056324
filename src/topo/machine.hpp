// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processors that may be used, what each shares with others, and how far they are from each
// other.
#pragma once

#include <cstdint>

#include "mem/raw_array.hpp"

namespace weft::rt::topo {

inline constexpr uint32_t nothing = UINT32_MAX;

// What a processor (a hardware thread) shares: two with the same number here share it.
struct processor {
  uint32_t number;  // as the system counts
  uint32_t core;
  uint32_t l2;  // or `nothing`
  uint32_t l3;  // or `nothing`
  uint32_t node;
  uint32_t package;
  uint32_t rank;  // 0: the first of its core
};

struct machine {
  raw_array<processor> processors;     // sorted: what is near stands together
  raw_array<uint16_t> node_distances;  // nodes * nodes, as the firmware says (10: local); or empty
  uint32_t nodes = 1;                  // above every processor::node

  void take(machine& from) noexcept {
    processors.take(from.processors);
    node_distances.take(from.node_distances);
    nodes = from.nodes;
  }
};

// By a reader that has filled all but the ranks: sorts, and numbers the processors of each core.
void arrange(machine& m) noexcept;

// 0: the same; then what they share: 1 a core, 2 a level-2 cache, 3 a level-3 cache, 10 memory;
// else how far their memories are, 11 or more (20 where nobody says).
uint32_t distance(const machine& m, const processor& a, const processor& b) noexcept;

}  // namespace weft::rt::topo
