// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of Weft: the adaptive schedule, which is what users get.
#pragma once

#include <array>
#include <functional>

#include <weft/par.hpp>

#include "harness/weft.hpp"

namespace weft::bench {

class loops {
 public:
  explicit loops(const report& out) { start(out); }
  static constexpr std::array<const char*, 1> ways() { return {"adaptive"}; }
  void use(size_t) { how_ = {}; }
  void use_blocks(int64_t n) { how_ = {par::schedule::fixed, 0, static_cast<uint64_t>(n)}; }
  void stop(report& out) { bench::stop(out); }

  template <class Body>
  void run(Body body) {
    in_task(body);
  }
  template <class F>
  void each(int64_t n, F f) {
    par::loop(int64_t{0}, n, f, how_);
  }
  template <class F>
  double sum(int64_t n, F f) {
    return par::reduce(int64_t{0}, n, 0.0, std::plus<>(), f, how_);
  }

 private:
  par::how how_;
};

}  // namespace weft::bench
