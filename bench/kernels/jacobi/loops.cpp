// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jacobi's method on a square: each point becomes the mean of its neighbours, a row for each
// iteration, many short loops one after the other over the same data. The row is not inlined: so
// all programs run the same code for it.
#include BENCH_LOOPS

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/placed_array.hpp"
#include "loops/measure.hpp"

using namespace weft::bench;

namespace {

constexpr int64_t size = 512;  // with the border
constexpr int sweeps_full = 200;
constexpr int sweeps_quick = 40;

class square {
 public:
  explicit square(const report& out) : sweeps_(out.opt().quick ? sweeps_quick : sweeps_full) {
    begin();
    for (int s = 0; s < sweeps_; ++s) {
      for (int64_t row = 1; row < size - 1; ++row) relax(row, now_, next_);
      std::swap(now_, next_);
    }
    expected_.assign(now_, now_ + points);
  }

  template <class Loops>
  double sample(report& out, Loops& by) {
    begin();
    const stopwatch watch;
    for (int s = 0; s < sweeps_; ++s) {
      by.each(size - 2, [from = now_, to = next_](int64_t row) { relax(row + 1, from, to); });
      std::swap(now_, next_);
    }
    const double s = watch.seconds();
    const bool same = std::equal(expected_.begin(), expected_.end(), now_);
    out.check("the same bits as by one thread", same, true);
    return s;
  }

 private:
  void begin() {
    for (double* const v : {now_, next_}) {
      std::fill_n(v, size, 100.0);
      std::fill(v + size, v + points, 0.0);
    }
  }

  [[gnu::noinline]] static void relax(int64_t row, const double* from, double* to) {
    const double* const at = from + row * size;
    double* const out = to + row * size;
    for (int64_t k = 1; k < size - 1; ++k)
      out[k] = 0.25 * (at[k - 1] + at[k + 1] + at[k - size] + at[k + size]);
  }

  static constexpr int64_t points = size * size;

  int sweeps_;
  placed_array<double> one_{static_cast<size_t>(points), 0, 0.0};
  placed_array<double> other_{static_cast<size_t>(points), 1, 0.0};
  double* now_ = one_.data();
  double* next_ = other_.data();
  std::vector<double> expected_;
};

}  // namespace

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "s", [](report& out) { return square(out); });
}
