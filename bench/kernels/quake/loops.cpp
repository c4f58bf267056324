// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients on the earthquake matrix: quake, quake_blocks_<n> with blocks of n nodes in
// all loops, and quake_dynamic, the ratio of the first to the best of these.
#include BENCH_LOOPS

#include "loops/best_block.hpp"
#include "loops/measure.hpp"
#include "solver.hpp"

using namespace weft::bench;

namespace {

constexpr int pairs = 4;

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  loops by(out);
  solver s(out);
  const auto sample = [&](loops& l) { return s.sample(out, l); };
  if (const int64_t n = out.number_in_name("quake_blocks_"); n != 0) {
    by.use_blocks(n);
    while (out.more()) by.run([&] { out.add(sample(by)); });
  } else if (out.kernel() == "quake_dynamic") {
    const auto in_blocks = [&](int64_t size) {
      by.use_blocks(size);
      return sample(by);
    };
    const auto adaptive = [&] {
      by.use(0);
      return sample(by);
    };
    std::string curve;
    out.measure_in("ratio");
    while (out.more())
      by.run([&] { out.add(ratio_to_best_block(pairs, in_blocks, adaptive, curve)); });
    out.note(curve);
  } else {
    measure_ways(out, by, sample);
  }
  by.stop(out);
  return out.finish();
}
