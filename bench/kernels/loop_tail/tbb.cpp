// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unbalanced loop, by oneTBB's parallel_for: the best of its partitioners counts.
#include "loops/tbb.hpp"

#include "config.hpp"
#include "loops/measure.hpp"

using namespace weft::bench;

namespace {

class tail : tail_loop {
 public:
  using tail_loop::tail_loop;

  double sample(report& out, loops& by) {
    return tail_loop::sample(out, [&by](int64_t n, uint64_t* results) {
      by.each(n, [=](int64_t i) { results[i] = iterate(i, n); });
    });
  }
};

}  // namespace

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "s", [](const report& out) { return tail(out); });
}
