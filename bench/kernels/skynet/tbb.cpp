// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet with one oneTBB task per node; the first child of each goes to run_and_wait, which takes
// no memory for it.
#include "harness/tbb.hpp"

#include <tbb/task_group.h>

#include "leaves.hpp"

using namespace weft::bench;

namespace {

int64_t visit(range me) {
  if (me.leaves == 1) return me.first;
  int64_t value[children];
  tbb::task_group group;
  for (int64_t i = 1; i < children; ++i) {
    group.run([&value, me, i] { value[i] = visit(me.child(i)); });
  }
  group.run_and_wait([&value, me] { value[0] = visit(me.child(0)); });
  int64_t sum = 0;
  for (int64_t i = 0; i < children; ++i) sum += value[i];
  return sum;
}

}  // namespace

int main(int argc, char** argv) { return skynet_main(argc, argv, visit); }
