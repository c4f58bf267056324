// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose iterations take from 1 ns to 100 us: all the same, each a little more than the one
// before, one as much as half of all others together, at random with a heavy tail, or all the same
// while an OS thread takes a processor away.
//
// Each kernel's name ends with what an iteration takes on average, about.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

// Steps of a multiplication that waits for the one before, about 1.5 ns each. Called, and at the
// same place of a line, so that all programs run the same code: inlined, a loop of few steps takes
// up to half more by where a compiler happens to put it.
[[gnu::noinline, gnu::aligned(64)]] inline uint64_t iterate(int64_t i, int64_t steps) {
  auto x = static_cast<uint64_t>(i);
  for (; steps > 0; --steps) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm("" : "+r"(x));  // one after the other
  }
  return x;
}

// An OS thread that computes on one of the processors that the program has.
class busy_thread {
 public:
  busy_thread() : thread_([this] { compute(); }) {}
  ~busy_thread() {
    over_ = true;
    thread_.join();
  }

 private:
  void compute() const {
    cpu_set_t all;
    cpu_set_t last;
    CPU_ZERO(&all);
    CPU_ZERO(&last);
    if (sched_getaffinity(0, sizeof all, &all) == 0)
      for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && CPU_COUNT(&last) == 0; --cpu)
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &last);
    pthread_setaffinity_np(pthread_self(), sizeof last, &last);
    while (!over_.load(std::memory_order_relaxed)) iterate(1, 1000);
  }

  std::atomic<bool> over_{false};
  std::thread thread_;
};

enum class shape { balanced, growing, giant, random };

// What the iterations of a loop take: small enough for each member to have it in registers.
struct body_work {
  shape of = shape::balanced;
  int64_t steps = 0;
  int64_t n = 0;

  int64_t steps_of(int64_t i) const {
    if (of == shape::growing) return 2 * steps * i / n;
    if (of == shape::giant && i == n * 3 / 4) return steps * n / 2;
    if (of == shape::random) return (steps << doublings(i)) / average;
    return steps;
  }

  // At random, but the same each time: half of all iterations 0, a quarter 1, and so on.
  static int doublings(int64_t i) {
    const uint64_t mixed = (static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
    return std::min(std::countl_zero((mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9u),
                    most_doublings);
  }
  static constexpr int most_doublings = 10;
  static constexpr int64_t average = most_doublings / 2 + 1;  // of two to the power of doublings()
};

class body_loop {
 public:
  explicit body_loop(const report& out) {
    const std::string_view name = out.kernel();
    struct size {
      std::string_view end;
      int64_t steps;
      int64_t n;
    };
    constexpr size sizes[] = {{"_1ns", 0, 8'000'000},
                              {"_10ns", 6, 2'000'000},
                              {"_100ns", 66, 200'000},
                              {"_1us", 660, 20'000},
                              {"_100us", 66'000, 200}};
    for (const size& s : sizes)
      if (name.ends_with(s.end)) {
        work_.steps = s.steps;
        n_ = out.opt().quick ? s.n / 4 : s.n;
      }
    if (n_ == 0) die("the name of the kernel says no time");
    work_.n = n_;
    if (name.starts_with("loop_growing")) work_.of = shape::growing;
    if (name.starts_with("loop_giant")) work_.of = shape::giant;
    if (name.starts_with("loop_random")) work_.of = shape::random;
    disturbed_ = name.starts_with("loop_disturbed");
    results_.resize(static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) expected_ += iterate(i, work_.steps_of(i));
  }

  // Seconds of one loop: where a thread disturbs, on average of so many that the system has given
  // and taken the processor many times.
  template <class Loops>
  double sample(report& out, Loops& by) {
    if (!disturbed_) return seconds_of_one(out, by);
    if (disturber_ == nullptr) disturber_ = std::make_unique<busy_thread>();
    double all = 0;
    int loops = 0;
    for (; loops == 0 || all < disturbed_seconds; ++loops) all += seconds_of_one(out, by);
    return all / loops;
  }

 private:
  static constexpr double disturbed_seconds = 0.2;

  template <class Loops>
  double seconds_of_one(report& out, Loops& by) {
    std::fill(results_.begin(), results_.end(), 0);
    const stopwatch watch;
    uint64_t* const to = results_.data();
    by.each(n_, [to, work = work_](int64_t i) { to[i] = iterate(i, work.steps_of(i)); });
    const double s = watch.seconds();
    uint64_t sum = 0;
    for (const uint64_t r : results_) sum += r;
    out.check("the sum of all results", sum, expected_);
    return s;
  }

  bool disturbed_ = false;
  body_work work_;
  int64_t n_ = 0;
  uint64_t expected_ = 0;
  std::vector<uint64_t> results_;
  std::unique_ptr<busy_thread> disturber_;
};

}  // namespace weft::bench
