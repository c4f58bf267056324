// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop in a loop, by oneTBB's parallel_for.
#include "harness/tbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  grid g(out);
  measure(out, [&] {
    return g.sample(out, [](int64_t rows, int64_t* cells) {
      tbb::parallel_for(int64_t{0}, rows, [=](int64_t i) {
        tbb::parallel_for(tbb::blocked_range<int64_t>(0, columns), [=](const auto& r) {
          int64_t* const row = cells + i * columns;
          for (int64_t k = r.begin(), end = r.end(); k != end; ++k) ++row[k];
        });
      });
    });
  });
  out.note("auto_partitioner");
  return out.finish();
}
