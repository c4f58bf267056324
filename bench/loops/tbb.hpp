// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of oneTBB over blocked ranges, by each of its partitioners. What a block needs is in
// locals, as its guide has it: a compiler need not read it again after each store of the body.
#pragma once

#include <array>
#include <functional>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include "harness/tbb.hpp"

namespace weft::bench {

class loops {
 public:
  explicit loops(const report& out) : arena_(out.opt().workers) {}
  static constexpr std::array<const char*, 3> ways() { return {"auto", "affinity", "static"}; }
  void use(size_t way) { way_ = way; }
  void use_blocks(int64_t n) {
    way_ = in_blocks;
    block_ = static_cast<size_t>(n);
  }
  void stop(report&) {}

  template <class Body>
  void run(Body body) {
    arena_.execute(body);
  }
  template <class F>
  void each(int64_t n, F f) {
    const auto block = [f](const range& r) {
      F mine = f;
      for (int64_t i = r.begin(), end = r.end(); i != end; ++i) mine(i);
    };
    switch (way_) {
      case 0:
        tbb::parallel_for(range(0, n), block, tbb::auto_partitioner());
        break;
      case 1: {
        // It remembers who ran what: one for each loop of the program.
        static tbb::affinity_partitioner before;
        tbb::parallel_for(range(0, n), block, before);
        break;
      }
      case 2:
        tbb::parallel_for(range(0, n), block, tbb::static_partitioner());
        break;
      default:
        tbb::parallel_for(range(0, n, block_), block, tbb::simple_partitioner());
    }
  }
  template <class F>
  double sum(int64_t n, F f) {
    const auto block = [f](const range& r, double s) {
      F mine = f;
      for (int64_t i = r.begin(), end = r.end(); i != end; ++i) s += mine(i);
      return s;
    };
    return tbb::parallel_reduce(range(0, n), 0.0, block, std::plus<>(), tbb::static_partitioner());
  }

 private:
  using range = tbb::blocked_range<int64_t>;
  static constexpr size_t in_blocks = 3;

  arena_of arena_;
  size_t way_ = 0;
  size_t block_ = 1;
};

}  // namespace weft::bench
