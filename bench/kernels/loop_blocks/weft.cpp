// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adaptive schedule beside fixed blocks of 5 to 10,000 iterations, all by weft::par::loop.
#include "harness/weft.hpp"

#include <algorithm>

#include <weft/par.hpp>

#include "config.hpp"
#include "loops/best_block.hpp"

using namespace weft::bench;

namespace {

double seconds_of(report& out, std::vector<uint64_t>& results, const weft::par::how& how) {
  std::fill(results.begin(), results.end(), 0);
  const stopwatch watch;
  uint64_t* const to = results.data();
  weft::par::loop(uint64_t{0}, results.size(), [=](uint64_t i) { to[i] = iterate(i) + 1; }, how);
  const double s = watch.seconds();
  int64_t missing = 0;
  for (const uint64_t r : results) missing += r == 0 ? 1 : 0;
  out.check("iterations that did not run", missing, int64_t{0});
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ratio");
  std::vector<uint64_t> results(static_cast<size_t>(length));
  const int pairs = out.opt().quick ? pairs_quick : pairs_full;
  std::string curve;
  measure(out, [&] {
    return ratio_to_best_block(
        pairs,
        [&](int64_t n) {
          weft::par::how how{weft::par::schedule::fixed};
          how.block = static_cast<uint64_t>(n);
          return seconds_of(out, results, how);
        },
        [&] { return seconds_of(out, results, {weft::par::schedule::adaptive}); }, curve);
  });
  out.note(curve);
  return out.finish();
}
