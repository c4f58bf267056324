// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product over any runtime whose harness offers both(f, g) and measure, which is included
// before this, and the main program around it.
#pragma once

#include <vector>

#include "config.hpp"
#include "harness/report.hpp"

namespace weft::bench {

// A square part of a matrix whose rows are stride apart.
struct part {
  double* at;
  int64_t stride;

  double* row(int64_t i) const { return at + i * stride; }
  part quarter(int64_t i, int64_t j, int64_t half) const {
    return {at + i * half * stride + j * half, stride};
  }
};

inline void multiply_block(part c, part a, part b) {
  for (int64_t i = 0; i < block; ++i) {
    for (int64_t k = 0; k < block; ++k) {
      const double factor = a.row(i)[k];
      for (int64_t j = 0; j < block; ++j) c.row(i)[j] += factor * b.row(k)[j];
    }
  }
}

// c += a b, all n x n.
inline void multiply(part c, part a, part b, int64_t n) {
  if (n <= block) return multiply_block(c, a, b);
  const int64_t half = n / 2;
  for (int64_t k = 0; k < 2; ++k) {
    const auto quarter = [=](int64_t i, int64_t j) {
      multiply(c.quarter(i, j, half), a.quarter(i, k, half), b.quarter(k, j, half), half);
    };
    const auto row = [=](int64_t i) { both([=] { quarter(i, 0); }, [=] { quarter(i, 1); }); };
    both([=] { row(0); }, [=] { row(1); });
  }
}

// A matrix of small whole numbers, whose products are exact.
inline std::vector<double> some_matrix(int64_t n, int64_t seed) {
  std::vector<double> m(static_cast<size_t>(n * n));
  for (size_t i = 0; i < m.size(); ++i)
    m[i] = static_cast<double>((i * 7 + i / 13 + static_cast<size_t>(seed)) % 11);
  return m;
}

inline std::vector<double> times_vector(const std::vector<double>& m,
                                        const std::vector<double>& v) {
  std::vector<double> product(v.size(), 0.0);
  for (size_t i = 0; i < v.size(); ++i)
    for (size_t j = 0; j < v.size(); ++j) product[i] += m[i * v.size() + j] * v[j];
  return product;
}

inline int matmul_main(int argc, char** argv) {
  report out(argc, argv, "s");
  const int64_t n = out.opt().quick ? n_quick : n_full;
  std::vector<double> a = some_matrix(n, 1);
  std::vector<double> b = some_matrix(n, 5);
  std::vector<double> v(static_cast<size_t>(n));
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i % 5) - 2.0;
  const std::vector<double> expected = times_vector(a, times_vector(b, v));
  measure(out, [&] {
    std::vector<double> c(a.size(), 0.0);
    const stopwatch watch;
    multiply({c.data(), n}, {a.data(), n}, {b.data(), n}, n);
    const double sample = watch.seconds();
    out.check("the product times a vector is that of the factors", times_vector(c, v) == expected,
              true);
    return sample;
  });
  return out.finish();
}

}  // namespace weft::bench
