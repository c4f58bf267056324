// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of OpenMP, each with its schedule written beside it, as users write it. Each thread has a
// copy of what is called, as it has of the variables of a loop that is written in place.
#pragma once

#include <array>
#include <omp.h>

#include "harness/report.hpp"

namespace weft::bench {

class loops {
 public:
  explicit loops(const report& out) {
    omp_set_dynamic(0);
    omp_set_num_threads(static_cast<int>(out.opt().workers));
  }
  static constexpr std::array<const char*, 4> ways() {
    return {"static", "dynamic", "dynamic 64", "guided"};
  }
  void use(size_t way) { way_ = way; }
  void use_blocks(int64_t n) {
    way_ = in_blocks;
    block_ = n;
  }
  void stop(report&) {}

  template <class Body>
  void run(Body body) {
    body();
  }
  template <class F>
  void each(int64_t n, F f) {
    switch (way_) {
      case 0:
#pragma omp parallel for schedule(static) firstprivate(f)
        for (int64_t i = 0; i < n; ++i) f(i);
        break;
      case 1:
#pragma omp parallel for schedule(dynamic) firstprivate(f)
        for (int64_t i = 0; i < n; ++i) f(i);
        break;
      case 2:
#pragma omp parallel for schedule(dynamic, 64) firstprivate(f)
        for (int64_t i = 0; i < n; ++i) f(i);
        break;
      case 3:
#pragma omp parallel for schedule(guided) firstprivate(f)
        for (int64_t i = 0; i < n; ++i) f(i);
        break;
      default:
#pragma omp parallel for schedule(dynamic, block_) firstprivate(f)
        for (int64_t i = 0; i < n; ++i) f(i);
    }
  }
  // What is summed is even in all kernels.
  template <class F>
  double sum(int64_t n, F f) {
    double s = 0;
#pragma omp parallel for schedule(static) firstprivate(f) reduction(+ : s)
    for (int64_t i = 0; i < n; ++i) s += f(i);
    return s;
  }

 private:
  static constexpr size_t in_blocks = 4;
  size_t way_ = 0;
  int64_t block_ = 1;
};

}  // namespace weft::bench
