// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet with one fork of weft.hpp per node.
#include "harness/weft_cpp.hpp"

#include "leaves.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const range& me);

// The children from the i-th on: the first of them as a fork, the others here.
int64_t visit_from(const range& me, int64_t i) {
  if (i + 1 == children) return visit(me.child(i));
  const auto [first, others] = weft::fork_join([&me, i] { return visit(me.child(i)); },
                                               [&me, i] { return visit_from(me, i + 1); });
  return first + others;
}

int64_t visit(const range& me) { return me.leaves == 1 ? me.first : visit_from(me, 0); }

}  // namespace

int main(int argc, char** argv) {
  return skynet_main(argc, argv, [](range all) { return visit(all); });
}
