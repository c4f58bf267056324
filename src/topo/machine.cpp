// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts processors by what they share, and says how far two are apart.
#include "topo/machine.hpp"

#include <algorithm>
#include <tuple>

namespace weft::rt::topo {

namespace {

constexpr uint32_t same_core = 1;
constexpr uint32_t same_l2 = 2;
constexpr uint32_t same_l3 = 3;
constexpr uint32_t same_node = 10;
constexpr uint32_t other_node = 20;

// A package may have several nodes, and a node, of some virtual machines, several packages.
auto place(const processor& p, bool nodes_are_wider) noexcept {
  const uint32_t wide = nodes_are_wider ? p.node : p.package;
  const uint32_t narrow = nodes_are_wider ? p.package : p.node;
  return std::tuple(wide, narrow, p.l3, p.l2, p.core, p.number);
}

void sort(machine& m, bool nodes_are_wider) noexcept {
  std::sort(m.processors.begin(), m.processors.end(), [&](const processor& a, const processor& b) {
    return place(a, nodes_are_wider) < place(b, nodes_are_wider);
  });
}

// Of processors that are sorted by their nodes.
bool has_node_of_several_packages(const machine& m) noexcept {
  return std::adjacent_find(m.processors.begin(), m.processors.end(),
                            [](const processor& a, const processor& b) {
                              return a.node == b.node && a.package != b.package;
                            }) != m.processors.end();
}

bool shared(uint32_t a, uint32_t b) noexcept { return a == b && a != nothing; }

}  // namespace

void arrange(machine& m) noexcept {
  sort(m, true);
  if (!has_node_of_several_packages(m)) sort(m, false);
  const processor* before = nullptr;
  for (processor& p : m.processors) {
    p.rank = before != nullptr && before->core == p.core ? before->rank + 1 : 0;
    before = &p;
  }
}

uint32_t distance(const machine& m, const processor& a, const processor& b) noexcept {
  if (a.number == b.number) return 0;
  if (shared(a.core, b.core)) return same_core;
  if (shared(a.l2, b.l2)) return same_l2;
  if (shared(a.l3, b.l3)) return same_l3;
  if (a.node == b.node) return a.package == b.package ? same_node : other_node;
  if (m.node_distances.size() == 0) return other_node;
  return std::max<uint32_t>(m.node_distances[a.node * m.nodes + b.node], same_node + 1);
}

}  // namespace weft::rt::topo
