// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree exploration of Chapel's examples: builds a binary tree in which each node has a number,
// a task for one of each two subtrees, and sums the numbers the same way. It forks ten deep, at the
// most. Needs both(f, g) and measure of a runtime, which is included before this.
//
// The kernel's name ends with the logarithm of the number of nodes, but for one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int most_forks = 10;

struct tree_node {
  uint64_t number = 0;
  tree_node* child[2] = {nullptr, nullptr};
};

// The node of that number and all below it; numbers are those of a heap, and so are the places.
inline tree_node* grow(tree_node* places, uint64_t number, uint64_t count, int forks) {
  if (number > count) return nullptr;
  tree_node* const n = places + number;
  n->number = number;
  const auto left = [=] { n->child[0] = grow(places, 2 * number, count, forks - 1); };
  const auto right = [=] { n->child[1] = grow(places, 2 * number + 1, count, forks - 1); };
  if (forks > 0) {
    both(left, right);
  } else {
    left();
    right();
  }
  return n;
}

inline uint64_t sum_of(const tree_node* n, int forks) {
  if (n == nullptr) return 0;
  uint64_t below[2] = {0, 0};
  const auto left = [&] { below[0] = sum_of(n->child[0], forks - 1); };
  const auto right = [&] { below[1] = sum_of(n->child[1], forks - 1); };
  if (forks > 0) {
    both(left, right);
  } else {
    left();
    right();
  }
  return n->number + below[0] + below[1];
}

inline int tree_main(int argc, char** argv) {
  report out(argc, argv, "s");
  const uint64_t count = (uint64_t{1} << out.number_in_name("tree_sum_")) - 1;
  std::vector<tree_node> places(count + 1);
  measure(out, [&] {
    std::fill(places.begin(), places.end(), tree_node{});
    const stopwatch watch;
    const tree_node* const root = grow(places.data(), 1, count, most_forks);
    const uint64_t sum = sum_of(root, most_forks);
    const double s = watch.seconds();
    out.check("sum", sum, count * (count + 1) / 2);
    return s;
  });
  return out.finish();
}

}  // namespace weft::bench
