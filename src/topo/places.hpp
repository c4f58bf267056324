// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine, shepherds, workers: which worker belongs to which shepherd, and who is near whom.
#pragma once

#include <cstdint>

#include "mem/raw_array.hpp"
#include "topo/machine.hpp"

namespace weft::rt::topo {

// What the workers of one shepherd share.
enum class boundary : uint32_t { automatic, core, l2, l3, numa, socket, machine };

// Numbers of shepherds and of workers follow the processors' order, so that a shepherd's workers
// are neighbours: shepherd s has the workers from first[s] to first[s + 1] - 1.
struct places {
  uint32_t workers = 0;
  uint32_t shepherds = 0;
  boundary by = boundary::machine;
  bool described = false;         // the machine is made up: no thread can be bound there
  raw_array<uint32_t> first;      // shepherds + 1 of them
  raw_array<uint32_t> processor;  // of each worker, as the system counts
  raw_array<uint32_t> all;        // every processor, as the system counts, near ones together
  raw_array<uint32_t> of_first;   // shepherd s may use all[of_first[s]] to all[of_last[s] - 1]
  raw_array<uint32_t> of_last;
  raw_array<uint16_t> distances;  // shepherds * shepherds; 0 to itself
  raw_array<uint16_t> near;  // the same size: row s is all shepherds, s first, the nearest next

  void take(places& from) noexcept;
  uint32_t shepherd_of(uint32_t worker) const noexcept;
};

// The boundary that a machine suggests: where there is more than one, its level-3 caches, else its
// memories, else its sockets; else the machine.
boundary suggested(const machine& m) noexcept;

// Workers get a core each as long as there are some, then a hardware thread each; neighbours first.
// More workers than processors share them evenly. by is not automatic. False: no memory.
[[nodiscard]] bool lay_out(const machine& m, uint32_t workers, boundary by, places& out) noexcept;

}  // namespace weft::rt::topo
