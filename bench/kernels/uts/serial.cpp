// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search by plain recursion.
#include "harness/serial.hpp"

#include "tree.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const node& me) {
  const uint32_t count = child_count(me);
  int64_t total = 1;
  for (uint32_t i = 0; i < count; ++i) total += visit(child_node(me, i));
  return total;
}

}  // namespace

int main(int argc, char** argv) { return uts_main(argc, argv, visit); }
