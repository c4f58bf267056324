// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search with one fork of weft.hpp per node.
#include "harness/weft_cpp.hpp"

#include "tree.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const node& me);

// The children [from, to), halved until one is left, so that forks lie no deeper than they must.
int64_t visit_between(const node& me, uint32_t from, uint32_t to) {
  if (to - from == 1) return visit(child_node(me, from));
  const uint32_t middle = from + (to - from) / 2;
  const auto [left, right] =
      weft::fork_join([&me, from, middle] { return visit_between(me, from, middle); },
                      [&me, middle, to] { return visit_between(me, middle, to); });
  return left + right;
}

int64_t visit(const node& me) {
  const uint32_t count = child_count(me);
  return count == 0 ? 1 : 1 + visit_between(me, 0, count);
}

}  // namespace

int main(int argc, char** argv) {
  return uts_main(argc, argv, [](node root) { return visit(root); });
}
