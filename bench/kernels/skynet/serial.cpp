// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet by plain recursion.
#include "harness/serial.hpp"

#include "leaves.hpp"

using namespace weft::bench;

namespace {

int64_t visit(range me) {
  if (me.leaves == 1) return me.first;
  int64_t sum = 0;
  for (int64_t i = 0; i < children; ++i) sum += visit(me.child(i));
  return sum;
}

}  // namespace

int main(int argc, char** argv) { return skynet_main(argc, argv, visit); }
