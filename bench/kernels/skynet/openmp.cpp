// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet with one OpenMP task per node.
#include "harness/openmp.hpp"

#include "leaves.hpp"

using namespace weft::bench;

namespace {

int64_t visit(range me) {
  if (me.leaves == 1) return me.first;
  int64_t value[children];
  for (int64_t i = 0; i < children; ++i) {
#pragma omp task default(none) shared(value) firstprivate(me, i)
    value[i] = visit(me.child(i));
  }
#pragma omp taskwait
  int64_t sum = 0;
  for (int64_t i = 0; i < children; ++i) sum += value[i];
  return sum;
}

}  // namespace

int main(int argc, char** argv) { return skynet_main(argc, argv, visit); }
