// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops by one thread, without any runtime.
#pragma once

#include <array>
#include <cstdint>

#include "harness/report.hpp"

namespace weft::bench {

class loops {
 public:
  explicit loops(const report& out) {
    if (out.opt().workers != 1) die("serial runs with one worker");
  }
  static constexpr std::array<const char*, 1> ways() { return {"serial"}; }
  void use(size_t) {}
  void use_blocks(int64_t) { die("one thread has no blocks"); }
  void stop(report&) {}

  template <class Body>
  void run(Body body) {
    body();
  }
  template <class F>
  void each(int64_t n, F f) {
    for (int64_t i = 0; i < n; ++i) f(i);
  }
  template <class F>
  double sum(int64_t n, F f) {
    double s = 0;
    for (int64_t i = 0; i < n; ++i) s += f(i);
    return s;
  }
};

}  // namespace weft::bench
