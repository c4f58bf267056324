// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jacobi's method on a square: each point becomes the mean of its neighbours, a row for each
// iteration, many short loops one after the other over the same data. The row is not inlined: so
// all programs run the same code for it.
#include BENCH_LOOPS

#include <algorithm>
#include <vector>

#include "loops/measure.hpp"

using namespace weft::bench;

namespace {

constexpr int64_t size = 512;  // with the border
constexpr int sweeps_full = 200;
constexpr int sweeps_quick = 40;

class square {
 public:
  explicit square(const report& out)
      : sweeps_(out.opt().quick ? sweeps_quick : sweeps_full), expected_(start()) {
    std::vector<double> next = expected_;
    for (int s = 0; s < sweeps_; ++s) {
      for (int64_t row = 1; row < size - 1; ++row) relax(row, expected_, next);
      expected_.swap(next);
    }
  }

  template <class Loops>
  double sample(report& out, Loops& by) {
    std::vector<double> now = start();
    std::vector<double> next = now;
    const stopwatch watch;
    for (int s = 0; s < sweeps_; ++s) {
      by.each(size - 2, [&](int64_t row) { relax(row + 1, now, next); });
      now.swap(next);
    }
    const double s = watch.seconds();
    out.check("the same bits as by one thread", now == expected_, true);
    return s;
  }

 private:
  static std::vector<double> start() {
    std::vector<double> v(static_cast<size_t>(size * size), 0.0);
    std::fill_n(v.begin(), size, 100.0);
    return v;
  }

  [[gnu::noinline]] static void relax(int64_t row, const std::vector<double>& from,
                                      std::vector<double>& to) {
    const double* const at = from.data() + row * size;
    double* const out = to.data() + row * size;
    for (int64_t k = 1; k < size - 1; ++k)
      out[k] = 0.25 * (at[k - 1] + at[k + 1] + at[k - size] + at[k + size]);
  }

  int sweeps_;
  std::vector<double> expected_;
};

}  // namespace

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "s", [](report& out) { return square(out); });
}
