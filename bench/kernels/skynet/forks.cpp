// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet, by any runtime whose adapter offers all(count, f).
#include BENCH_ADAPTER

#include "leaves.hpp"

using namespace weft::bench;

namespace {

int64_t visit(range me) {
  if (me.leaves == 1) return me.first;
  int64_t value[children];
  all(children, [&](uint32_t i) { value[i] = visit(me.child(i)); });
  int64_t sum = 0;
  for (const int64_t v : value) sum += v;
  return sum;
}

}  // namespace

int main(int argc, char** argv) { return skynet_main(argc, argv, visit); }
