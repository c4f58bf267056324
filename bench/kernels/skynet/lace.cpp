// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet with one Lace task per node.
#include "adapters/lace.hpp"

#include "leaves.hpp"

using namespace weft::bench;

TASK_1(int64_t, visit, range, me) {
  if (me.leaves == 1) return me.first;
  for (int64_t i = 1; i < children; ++i) SPAWN(visit, me.child(i));
  int64_t sum = CALL(visit, me.child(0));
  for (int64_t i = 1; i < children; ++i) sum += SYNC(visit);
  return sum;
}

int main(int argc, char** argv) {
  return skynet_main(argc, argv, [](range all) { return RUN(visit, all); });
}
