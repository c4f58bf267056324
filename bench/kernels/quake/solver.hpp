// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrix times vector, and the method of conjugate gradients for A x = b, over loops of any
// runtime.
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/report.hpp"
#include "mesh.hpp"

namespace weft::bench {

inline constexpr int64_t side_full = 24;
inline constexpr int64_t side_quick = 14;
inline constexpr int steps_full = 25;
inline constexpr int steps_quick = 10;

inline double dot(const vec3& a, const vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline vec3 plus(const vec3& a, double factor, const vec3& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

class solver {
 public:
  explicit solver(const report& out)
      : steps_(out.opt().quick ? steps_quick : steps_full),
        a_(make_mesh(out.opt().quick ? side_quick : side_full)),
        n_(a_.rows()),
        b_(static_cast<size_t>(n_), 0, vec3{}),
        x_(b_.size(), 3, vec3{}),
        r_(b_.size(), 4, vec3{}),
        p_(b_.size(), 5, vec3{}),
        q_(b_.size(), 6, vec3{}) {
    lcg random(777);
    for (vec3& v : b_) v = {random.unit(), random.unit(), random.unit()};
  }

  // Seconds of so many steps from x = 0.
  template <class Loops>
  double sample(report& out, Loops& by) {
    const auto n = static_cast<size_t>(n_);
    for (size_t i = 0; i < n; ++i) {
      x_[i] = {};
      r_[i] = b_[i];
      p_[i] = b_[i];
    }
    const stopwatch watch;
    double rr = by.sum(n_, [this](int64_t i) { return dot(at(r_, i), at(r_, i)); });
    for (int step = 0; step < steps_; ++step) {
      by.each(n_, [this](int64_t i) { at(q_, i) = a_.times(i, p_); });
      const double pq = by.sum(n_, [this](int64_t i) { return dot(at(p_, i), at(q_, i)); });
      const double alpha = rr / pq;
      by.each(n_, [this, alpha](int64_t i) {
        at(x_, i) = plus(at(x_, i), alpha, at(p_, i));
        at(r_, i) = plus(at(r_, i), -alpha, at(q_, i));
      });
      const double now = by.sum(n_, [this](int64_t i) { return dot(at(r_, i), at(r_, i)); });
      const double beta = now / rr;
      rr = now;
      by.each(n_, [this, beta](int64_t i) { at(p_, i) = plus(at(r_, i), beta, at(p_, i)); });
    }
    const double s = watch.seconds();
    check(out);
    return s;
  }

 private:
  static vec3& at(field& f, int64_t i) { return f[static_cast<size_t>(i)]; }

  // What one thread finds without any loop of a runtime: b - A x is as small as r says, and x is
  // the same but for the order of sums.
  void check(report& out) {
    double wrong = 0;
    double size = 0;
    for (int64_t i = 0; i < n_; ++i) {
      const vec3 ax = a_.times(i, x_);
      const vec3 rest = plus(plus(at(b_, i), -1, ax), -1, at(r_, i));
      wrong += dot(rest, rest);
      size += dot(at(b_, i), at(b_, i));
    }
    out.check("residual as its recurrence says", wrong <= 1e-20 * size, true);
    double sum = 0;
    for (int64_t i = 0; i < n_; ++i) sum += dot(at(x_, i), at(b_, i));
    if (expected_ == 0) expected_ = serial_energy();
    out.check("x as one thread finds it", std::abs(sum - expected_) <= 1e-9 * std::abs(expected_),
              true);
  }

  // x . b after the same steps by one thread, in plain loops.
  double serial_energy() const {
    const auto n = static_cast<size_t>(n_);
    field x(n, 3, vec3{});
    field r(b_, 4);
    field p(b_, 5);
    field q(n, 6, vec3{});
    const auto squared = [](const field& a, const field& b) {
      double s = 0;
      for (size_t i = 0; i < a.size(); ++i) s += dot(a[i], b[i]);
      return s;
    };
    double rr = squared(r, r);
    for (int step = 0; step < steps_; ++step) {
      for (size_t i = 0; i < n; ++i) q[i] = a_.times(static_cast<int64_t>(i), p);
      const double alpha = rr / squared(p, q);
      for (size_t i = 0; i < n; ++i) {
        x[i] = plus(x[i], alpha, p[i]);
        r[i] = plus(r[i], -alpha, q[i]);
      }
      const double now = squared(r, r);
      for (size_t i = 0; i < n; ++i) p[i] = plus(r[i], now / rr, p[i]);
      rr = now;
    }
    return squared(x, b_);
  }

  int steps_;
  block_matrix a_;
  int64_t n_;
  field b_;
  field x_;
  field r_;
  field p_;
  field q_;
  double expected_ = 0;
};

}  // namespace weft::bench
