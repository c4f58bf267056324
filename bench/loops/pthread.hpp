// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops by threads of the system that are made for each loop, a part each: a pthread per task.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "harness/small_stacks.hpp"

namespace weft::bench {

class loops {
 public:
  explicit loops(const report& out) : workers_(out.opt().workers) { use_small_stacks(); }
  static constexpr std::array<const char*, 1> ways() { return {"a thread for each part"}; }
  void use(size_t) {}
  void use_blocks(int64_t) { die("each thread has one part"); }
  void stop(report&) {}

  template <class Body>
  void run(Body body) {
    body();
  }
  template <class F>
  void each(int64_t n, F f) {
    const int64_t parts = std::min<int64_t>(workers_, n);
    const auto part = [&](int64_t p) {
      for (int64_t i = n * p / parts; i < n * (p + 1) / parts; ++i) f(i);
    };
    std::vector<std::thread> threads;
    for (int64_t p = 1; p < parts; ++p) threads.emplace_back(part, p);
    if (parts != 0) part(0);
    for (std::thread& t : threads) t.join();
  }
  template <class F>
  double sum(int64_t n, F f) {
    struct alignas(64) cell {
      double s = 0;
    };
    std::vector<cell> cells(workers_);
    each(workers_, [&, n, f](int64_t p) {
      double s = 0;
      for (int64_t i = n * p / workers_; i < n * (p + 1) / workers_; ++i) s += f(i);
      cells[static_cast<size_t>(p)].s = s;
    });
    return std::accumulate(cells.begin(), cells.end(), 0.0,
                           [](double s, const cell& c) { return s + c.s; });
  }

 private:
  int64_t workers_;
};

}  // namespace weft::bench
