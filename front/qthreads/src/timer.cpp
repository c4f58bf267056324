// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timers by the monotonic clock, and a cheap random number.
#include <atomic>
#include <ctime>
#include <new>
#include <qthread/qtimer.h>

#include <weft/time.h>

struct qtimer_s {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
};

namespace {

double seconds(int64_t ns) noexcept { return static_cast<double>(ns) * 1e-9; }

}  // namespace

qtimer_t qtimer_create(void) { return new (std::nothrow) qtimer_s; }

void qtimer_destroy(qtimer_t t) { delete t; }

void qtimer_start(qtimer_t t) { t->from_ns = weft_time_now_ns(); }

void qtimer_stop(qtimer_t t) { t->to_ns = weft_time_now_ns(); }

double qtimer_secs(qtimer_t t) { return seconds(t->to_ns - t->from_ns); }

double qtimer_wtime(void) { return seconds(weft_time_now_ns()); }

double qtimer_res(void) {
  timespec resolution{};
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return static_cast<double>(resolution.tv_sec) + seconds(resolution.tv_nsec);
}

unsigned long qtimer_fastrand(void) {
  // splitmix64 (Steele, Lea, Flood 2014): each caller takes the next state. Of what it gives, as
  // much as an int holds.
  static std::atomic<uint64_t> state{0};
  constexpr uint64_t step = 0x9e3779b97f4a7c15;
  uint64_t z = state.fetch_add(step, std::memory_order_relaxed) + step;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (z ^ z >> 31) >> 33;
}
