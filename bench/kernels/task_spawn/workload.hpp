// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Homogeneous task spawn, as HPX's authors measured it: one serial loop spawns tasks of the same
// work, 0 to 1,000 us by the kernel's name, and waits for all. The sample is the time of a task,
// all workers' together; less than the work itself it cannot be, and the note has the efficiency.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

// The workload of the source.
inline void delay_for(uint64_t delay) {
  volatile double d = 0.;
  for (uint64_t i = 0; i < delay; ++i) d = d + 1 / (2. * static_cast<double>(i) + 1);
}

class spawn_loop {
 public:
  explicit spawn_loop(report& out)
      : workers_(out.opt().workers),
        work_us_(out.number_in_name("task_spawn_")),
        delay_(delay_of(work_us_)),
        tasks_(count_for(work_us_, out.opt().quick)),
        ran_(static_cast<size_t>(tasks_)),
        measured_us_(measure_work()) {}

  int64_t tasks() const { return tasks_; }
  // What task i does.
  void work(int64_t i) {
    delay_for(delay_);
    ++ran_[static_cast<size_t>(i)];
  }

  // One sample: us. all() spawns the tasks and waits for them.
  template <class All>
  double sample(report& out, All all) {
    std::fill(ran_.begin(), ran_.end(), 0);
    const stopwatch watch;
    all();
    const double us = watch.ns() / 1e3 * workers_ / static_cast<double>(tasks_);
    int64_t wrong = 0;
    for (const uint8_t n : ran_) wrong += n == 1 ? 0 : 1;
    out.check("tasks that did not run once", wrong, int64_t{0});
    best_us_ = best_us_ == 0 ? us : std::min(best_us_, us);
    return us;
  }

  void note(report& out) const {
    out.note("work " + figure(measured_us_) + " us, " + std::to_string(tasks_) +
             " tasks, efficiency " + figure(100 * measured_us_ / best_us_) + " %");
  }

 private:
  static int64_t count_for(int64_t us, bool quick) {
    const int64_t total_us = quick ? 20'000 : 100'000;
    return std::clamp<int64_t>(total_us / std::max<int64_t>(us, 1), 100, quick ? 10'000 : 50'000);
  }

  template <class F>
  static double best_ns(F f) {
    double best = 1e18;
    for (int n = 0; n < 5; ++n) {
      const stopwatch watch;
      f();
      best = std::min(best, watch.ns());
    }
    return best;
  }

  // How long the loop must be for so many us here.
  static uint64_t delay_of(int64_t us) {
    constexpr uint64_t steps = 200'000;
    const double ns = best_ns([] { delay_for(steps); });
    return static_cast<uint64_t>(static_cast<double>(us) * 1e3 * steps / ns);
  }

  double measure_work() const {
    constexpr int times = 20;
    return best_ns([this] {
             for (int i = 0; i < times; ++i) delay_for(delay_);
           }) /
           1e3 / times;
  }

  double workers_;
  int64_t work_us_;
  uint64_t delay_;
  int64_t tasks_;
  std::vector<uint8_t> ran_;
  double measured_us_;
  double best_us_ = 0;
};

}  // namespace weft::bench
