// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Homogeneous task spawn, as HPX's authors measured it: one serial loop spawns tasks of the same
// work, 0 to 1,000 us by the kernel's name, and waits for all. The sample is the time of a task,
// all workers' together; less than the work itself it cannot be, and the note has the efficiency.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

// The workload of the source.
inline void delay_for(uint64_t delay) {
  volatile double d = 0.;
  for (uint64_t i = 0; i < delay; ++i) d = d + 1 / (2. * static_cast<double>(i) + 1);
}

// By how much two readings may differ.
inline constexpr double agreed = 0.02;

// A loop of the workload, and how many us it takes here.
struct calibrated {
  uint64_t delay;
  double us;
};

// The loop that takes so many us; measure(delay) says how many one takes. Who shares the processor
// makes a reading longer, and what is read wrong makes all work longer or shorter than it is said
// to be, which counts as the runtime's time. So the loop found is measured itself, and another one
// is found after that until the two readings agree.
template <class Measure>
calibrated calibrate(double us, Measure measure) {
  constexpr int most_tries = 50;
  if (us == 0) return {0, measure(0)};
  calibrated found{20'000, measure(20'000)};
  for (int tries = 0; tries < most_tries; ++tries) {
    const double steps = static_cast<double>(found.delay) * us / found.us;
    found.delay = std::max<uint64_t>(static_cast<uint64_t>(steps + 0.5), 1);
    found.us = measure(found.delay);
    if (std::abs(found.us / us - 1) <= agreed) return found;
  }
  die("work of " + figure(us) + " us cannot be told: what was to take as long took " +
      figure(found.us) + " us");
}

class spawn_loop {
 public:
  explicit spawn_loop(report& out)
      : workers_(out.opt().workers),
        work_us_(out.number_in_name("task_spawn_")),
        loop_(calibrate(static_cast<double>(work_us_), best_us)),
        tasks_(count_for(work_us_, out.opt().quick)),
        ran_(static_cast<size_t>(tasks_)) {}

  int64_t tasks() const { return tasks_; }
  // What task i does.
  void work(int64_t i) {
    delay_for(loop_.delay);
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
    // A processor that was slow for as long as the calibration took is seen now.
    const double after = best_us(loop_.delay);
    const bool same = work_us_ == 0 || std::abs(after / loop_.us - 1) <= agreed;
    out.note("work " + figure(loop_.us) + " us" +
             (same ? "" : " before and " + figure(after) + " us after") + ", " +
             std::to_string(tasks_) + " tasks, efficiency " + figure(100 * loop_.us / best_us_) +
             " %");
  }

 private:
  static int64_t count_for(int64_t us, bool quick) {
    const int64_t total_us = quick ? 20'000 : 100'000;
    return std::clamp<int64_t>(total_us / std::max<int64_t>(us, 1), 100, quick ? 10'000 : 50'000);
  }

  // How many us a loop takes, at best.
  static double best_us(uint64_t delay) {
    constexpr int times = 20;
    double best = 1e18;
    for (int n = 0; n < 5; ++n) {
      const stopwatch watch;
      for (int i = 0; i < times; ++i) delay_for(delay);
      best = std::min(best, watch.ns());
    }
    return best / 1e3 / times;
  }

  double workers_;
  int64_t work_us_;
  calibrated loop_;
  int64_t tasks_;
  std::vector<uint8_t> ran_;
  double best_us_ = 0;
};

}  // namespace weft::bench
