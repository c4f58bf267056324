// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// STREAM's four loops (copy, scale, add, triad): stream over arrays that all share, stream_ep by
// one task for each worker over arrays of its own, as HPC Challenge has them.
#include BENCH_LOOPS

#include <algorithm>
#include <vector>

#include "harness/placed_array.hpp"
#include "loops/measure.hpp"

using namespace weft::bench;

namespace {

constexpr int64_t length_full = 4'000'000;  // 96 MB in all
constexpr int64_t length_quick = 1'000'000;
constexpr double scalar = 3.0;

struct arrays {
  explicit arrays(int64_t length)
      : a(static_cast<size_t>(length), 0, 1.0),
        b(a.size(), 1, 2.0),
        c(a.size(), 2, 0.0),
        n(length) {}

  template <class Each>
  void run(Each each) {
    double* const x = a.data();
    double* const y = b.data();
    double* const z = c.data();
    each(n, [=](int64_t i) { z[i] = x[i]; });
    each(n, [=](int64_t i) { y[i] = scalar * z[i]; });
    each(n, [=](int64_t i) { z[i] = x[i] + y[i]; });
    each(n, [=](int64_t i) { x[i] = y[i] + scalar * z[i]; });
    first = scalar * first + scalar * (first + scalar * first);
  }

  int64_t wrong() const {
    int64_t count = 0;
    for (const double v : a) count += v == first ? 0 : 1;
    return count;
  }

  // Small whole numbers, so that they stay exact.
  void begin() {
    std::fill(a.begin(), a.end(), 1.0);
    first = 1;
  }

  placed_array<double> a;
  placed_array<double> b;
  placed_array<double> c;
  int64_t n;
  double first = 1;  // what each of a is by now
};

class stream {
 public:
  explicit stream(const report& out) : apart_(out.kernel() == "stream_ep") {
    const int64_t n = out.opt().quick ? length_quick : length_full;
    const int64_t count = apart_ ? out.opt().workers : 1;
    for (int64_t i = 0; i < count; ++i) of_.emplace_back(n / count);
  }

  template <class Loops>
  double sample(report& out, Loops& by) {
    for (arrays& a : of_) a.begin();
    const stopwatch watch;
    if (apart_) {
      by.each(static_cast<int64_t>(of_.size()), [this](int64_t w) {
        of_[static_cast<size_t>(w)].run([](int64_t n, auto f) {
          for (int64_t i = 0; i < n; ++i) f(i);
        });
      });
    } else {
      of_[0].run([&](int64_t n, auto f) { by.each(n, f); });
    }
    const double s = watch.seconds();
    int64_t wrong = 0;
    for (const arrays& a : of_) wrong += a.wrong();
    out.check("wrong elements", wrong, int64_t{0});
    return s;
  }

 private:
  bool apart_;
  std::vector<arrays> of_;
};

}  // namespace

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "s", [](report& out) { return stream(out); });
}
