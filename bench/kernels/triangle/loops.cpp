// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forward substitution's shape: iteration i sums i elements, so the later half has three quarters
// of the work.
#include BENCH_LOOPS

#include <algorithm>
#include <numeric>
#include <vector>

#include "loops/measure.hpp"

using namespace weft::bench;

namespace {

constexpr int64_t rows_full = 4000;
constexpr int64_t rows_quick = 1500;

class triangle {
 public:
  explicit triangle(const report& out)
      : rows_(out.opt().quick ? rows_quick : rows_full),
        values_(static_cast<size_t>(rows_)),
        sums_(values_.size()) {
    std::iota(values_.begin(), values_.end(), uint64_t{1});
  }

  template <class Loops>
  double sample(report& out, Loops& by) {
    std::fill(sums_.begin(), sums_.end(), 0);
    const stopwatch watch;
    by.each(rows_, [this](int64_t i) {
      uint64_t sum = 0;
      const uint64_t* const v = values_.data();
      for (int64_t k = 0; k < i; ++k) sum += v[k] * v[i - k];
      sums_[static_cast<size_t>(i)] = sum;
    });
    const double s = watch.seconds();
    int64_t wrong = 0;
    for (int64_t i = 0; i < rows_; ++i) {
      // The sum of (k + 1)(i - k + 1) for k < i.
      const auto n = static_cast<uint64_t>(i);
      const uint64_t due = n * (n + 1) * (n + 2) / 6 + n * (n + 1) / 2;
      wrong += sums_[static_cast<size_t>(i)] == due ? 0 : 1;
    }
    out.check("wrong sums", wrong, int64_t{0});
    return s;
  }

 private:
  int64_t rows_;
  std::vector<uint64_t> values_;
  std::vector<uint64_t> sums_;
};

}  // namespace

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "s", [](report& out) { return triangle(out); });
}
