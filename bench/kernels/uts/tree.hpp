// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes of an unbalanced tree: each is a hash of its parent and tells how many children it has.
#pragma once

#include <cmath>
#include <memory>

#include "config.hpp"
#include "sha1.hpp"

namespace weft::bench {

// A node's random number is its last word, without the sign bit; its children hash it with theirs.
struct node {
  sha1_digest state;
  int32_t depth;
};

// What depends on the size; set before the first node is made, then constant.
struct tree_size {
  int64_t depth;
  int64_t root_children;
  int64_t nodes;
};
inline tree_size tree;

inline void set_tree(const options& opt) {
  tree = opt.quick
             ? tree_size{t1_depth_quick, t3_root_quick, geometric ? t1_nodes_quick : t3_nodes_quick}
             : tree_size{t1_depth_full, t3_root_full, geometric ? t1_nodes_full : t3_nodes_full};
}

inline node root_node() {
  const uint32_t seed = geometric ? t1_seed : t3_seed;
  return {sha1(std::array<uint32_t, 5>{0, 0, 0, 0, seed}), 0};
}

inline node child_node(const node& parent, uint32_t index) {
  const sha1_digest& s = parent.state;
  return {sha1(std::array<uint32_t, 6>{s[0], s[1], s[2], s[3], s[4], index}), parent.depth + 1};
}

inline uint32_t child_count(const node& n) {
  const double random = static_cast<double>(n.state[4] & 0x7fffffffu) / 2147483648.0;
  if constexpr (geometric) {
    if (n.depth >= tree.depth) return 0;
    const double p = 1.0 / (1.0 + static_cast<double>(t1_children));
    const double count = std::floor(std::log(1.0 - random) / std::log(1.0 - p));
    return count > 100.0 ? 100 : static_cast<uint32_t>(count);
  } else {
    if (n.depth == 0) return static_cast<uint32_t>(tree.root_children);
    return random < static_cast<double>(t3_per_million) * 1e-6 ? t3_children : 0;
  }
}

// The children of one node, with what a runtime keeps for each.
template <class Extra>
struct family {
  explicit family(const node& parent, uint32_t count)
      : nodes(std::make_unique_for_overwrite<node[]>(count)),
        extra(std::make_unique_for_overwrite<Extra[]>(count)) {
    for (uint32_t i = 0; i < count; ++i) nodes[i] = child_node(parent, i);
  }
  std::unique_ptr<node[]> nodes;
  std::unique_ptr<Extra[]> extra;
};

// main for every runtime: count(root) gives the number of nodes of the whole tree.
template <class Count>
int uts_main(int argc, char** argv, Count count) {
  report out(argc, argv, "s");
  set_tree(out.opt());
  measure(out, [&] {
    const stopwatch watch;
    const int64_t nodes = count(root_node());
    const double sample = watch.seconds();
    out.check("nodes", nodes, tree.nodes);
    return sample;
  });
  return out.finish();
}

}  // namespace weft::bench
