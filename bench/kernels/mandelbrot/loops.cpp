// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Mandelbrot set, a row of points for each iteration: rows differ by a factor of hundreds.
#include BENCH_LOOPS

#include <algorithm>
#include <vector>

#include "loops/measure.hpp"

using namespace weft::bench;

namespace {

constexpr int64_t size_full = 512;
constexpr int64_t size_quick = 192;
constexpr int32_t most_steps = 400;

// Steps until a point is known to be outside.
int32_t steps_at(double cx, double cy) {
  double x = 0;
  double y = 0;
  int32_t n = 0;
  for (; n < most_steps && x * x + y * y <= 4; ++n) {
    const double next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  return n;
}

class picture {
 public:
  explicit picture(const report& out)
      : size_(out.opt().quick ? size_quick : size_full),
        steps_(static_cast<size_t>(size_ * size_)),
        expected_(steps_.size()) {
    for (int64_t row = 0; row < size_; ++row) draw(row, expected_);
  }

  template <class Loops>
  double sample(report& out, Loops& by) {
    std::fill(steps_.begin(), steps_.end(), -1);
    const stopwatch watch;
    by.each(size_, [this](int64_t row) { draw(row, steps_); });
    const double s = watch.seconds();
    out.check("as by one thread", steps_ == expected_, true);
    return s;
  }

 private:
  void draw(int64_t row, std::vector<int32_t>& to) const {
    const double step = 3.0 / static_cast<double>(size_);
    for (int64_t k = 0; k < size_; ++k)
      to[static_cast<size_t>(row * size_ + k)] =
          steps_at(-2.2 + step * static_cast<double>(k), -1.5 + step * static_cast<double>(row));
  }

  int64_t size_;
  std::vector<int32_t> steps_;
  std::vector<int32_t> expected_;
};

}  // namespace

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "s", [](report& out) { return picture(out); });
}
