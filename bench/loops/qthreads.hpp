// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of Qthreads: an equal part for each worker (qt_loop_balance, and qt_loop_balance_simple for
// bodies that never wait), and its queued loops, in which a worker takes the next block by a rule:
// guided, factored, timed.
#pragma once

#include <array>
#include <qthread/qloop.h>

#include "adapters/qthreads.hpp"

namespace weft::bench {

class loops {
 public:
  explicit loops(const report& out) { start_runtime(out.opt().workers); }
  static constexpr std::array<const char*, 5> ways() {
    return {"balance", "balance, simple", "guided", "factored", "timed"};
  }
  void use(size_t way) { way_ = way; }
  void use_blocks(int64_t n) {
    way_ = in_blocks;
    block_ = static_cast<size_t>(n);
  }
  void stop(report&) { qthread_finalize(); }

  template <class Body>
  void run(Body body) {
    body();
  }
  template <class F>
  void each(int64_t n, F f) {
    if (n == 0) return;
    const auto end = static_cast<size_t>(n);
    switch (way_) {
      case 0:
        qt_loop_balance(0, end, part<F>, &f);
        break;
      case 1:
        qt_loop_balance_simple(0, end, part<F>, &f);
        break;
      case 2:
        queued(GUIDED, end, f);
        break;
      case 3:
        queued(FACTORED, end, f);
        break;
      case 4:
        queued(TIMED, end, f);
        break;
      default:
        queued(CHUNK, end, f);
    }
  }
  template <class F>
  double sum(int64_t n, F f) {
    double s = 0;
    if (n != 0)
      qt_loopaccum_balance(0, static_cast<size_t>(n), sizeof s, &s, summed_part<F>, &f, add);
    return s;
  }

 private:
  static constexpr size_t in_blocks = 5;

  template <class F>
  static void part(size_t begin, size_t end, void* f) {
    for (size_t i = begin; i < end; ++i) (*static_cast<F*>(f))(static_cast<int64_t>(i));
  }
  template <class F>
  static void summed_part(size_t begin, size_t end, void* f, void* to) {
    double s = 0;
    for (size_t i = begin; i < end; ++i) s += (*static_cast<F*>(f))(static_cast<int64_t>(i));
    *static_cast<double*>(to) = s;
  }
  static void add(void* to, const void* s) {
    *static_cast<double*>(to) += *static_cast<const double*>(s);
  }
  template <class F>
  void queued(qt_loop_queue_type rule, size_t end, F& f) {
    qqloop_handle_t* const loop = qt_loop_queue_create(rule, 0, end, 1, part<F>, &f);
    if (way_ == in_blocks) qt_loop_queue_setchunk(loop, block_);
    qt_loop_queue_run(loop);  // frees it
  }

  size_t way_ = 0;
  size_t block_ = 1;
};

}  // namespace weft::bench
