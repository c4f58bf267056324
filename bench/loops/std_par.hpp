// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parallel algorithms of the C++ library, which libstdc++ runs on oneTBB: hence the arena,
// which says how many threads there are.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <execution>
#include <functional>
#include <iterator>
#include <numeric>

#include "harness/tbb.hpp"

namespace weft::bench {

// A number as an iterator that may jump. Those of std::views::iota are input iterators to the
// algorithms, which then use one thread.
class number {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int64_t;
  using difference_type = int64_t;
  using pointer = const int64_t*;
  using reference = int64_t;

  explicit number(int64_t n = 0) : n_(n) {}
  int64_t operator*() const { return n_; }
  int64_t operator[](int64_t by) const { return n_ + by; }
  number& operator++() { return *this += 1; }
  number& operator--() { return *this += -1; }
  number operator++(int) { return number(n_++); }
  number operator--(int) { return number(n_--); }
  number& operator+=(int64_t by) {
    n_ += by;
    return *this;
  }
  number& operator-=(int64_t by) { return *this += -by; }
  friend number operator+(number a, int64_t by) { return a += by; }
  friend number operator+(int64_t by, number a) { return a += by; }
  friend number operator-(number a, int64_t by) { return a -= by; }
  friend int64_t operator-(number a, number b) { return a.n_ - b.n_; }
  friend auto operator<=>(const number&, const number&) = default;

 private:
  int64_t n_;
};

class loops {
 public:
  explicit loops(const report& out) : arena_(out.opt().workers) {}
  static constexpr std::array<const char*, 1> ways() { return {"for_each"}; }
  void use(size_t) {}
  void use_blocks(int64_t) { die("the algorithms take no size of blocks"); }
  void stop(report&) {}

  template <class Body>
  void run(Body body) {
    arena_.execute(body);
  }
  template <class F>
  void each(int64_t n, F f) {
    std::for_each(std::execution::par, number(0), number(n), f);
  }
  template <class F>
  double sum(int64_t n, F f) {
    return std::transform_reduce(std::execution::par, number(0), number(n), 0.0, std::plus<>(), f);
  }

 private:
  arena_of arena_;
};

}  // namespace weft::bench
