// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unbalanced loop, by oneTBB's parallel_for.
#include "harness/tbb.hpp"

#include <tbb/parallel_for.h>

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  tail_loop loop(out);
  measure(out, [&] {
    return loop.sample(out, [](int64_t n, uint64_t* results) {
      tbb::parallel_for(int64_t{0}, n, [=](int64_t i) { results[i] = iterate(i, n); });
    });
  });
  out.note("auto_partitioner");
  return out.finish();
}
