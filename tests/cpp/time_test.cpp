// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits by std::chrono: durations of any type and size, moments of any clock.
// WEFT_TEST_AT_WORKERS
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <ratio>

#include <weft/weft.hpp>

#include "support.hpp"

namespace weft::test {
namespace {

namespace chrono = std::chrono;
using namespace std::chrono_literals;
using cpp_time = at_workers;

// Steady, but of another epoch and resolution than CLOCK_MONOTONIC's.
struct ticking_clock {
  using rep = double;
  using period = std::milli;
  using duration = chrono::duration<double, std::milli>;
  using time_point = chrono::time_point<ticking_clock>;
  [[maybe_unused]] static constexpr bool is_steady = true;
  static time_point now() {
    return time_point(chrono::steady_clock::now().time_since_epoch() - duration(1e12));
  }
};

TEST_F(cpp_time, what_has_passed_is_not_waited_for) {
  binary_semaphore never(0);
  const auto waits_for = [&](auto d) { return never.try_acquire_for(d); };
  EXPECT_FALSE(waits_for(0s));
  EXPECT_FALSE(waits_for(-1ns));
  EXPECT_FALSE(waits_for(-1h));
  EXPECT_FALSE(waits_for(chrono::hours::min()));
  EXPECT_FALSE(waits_for(chrono::nanoseconds::min()));
  EXPECT_FALSE(waits_for(chrono::duration<double>(-1e300)));
  EXPECT_FALSE(waits_for(-chrono::duration<double>(std::numeric_limits<double>::infinity())));
  EXPECT_FALSE(waits_for(chrono::duration<float, std::ratio<86'400>>(-1)));
  const auto waits_until = [&](auto t) { return never.try_acquire_until(t); };
  EXPECT_FALSE(waits_until(chrono::steady_clock::time_point::min()));
  EXPECT_FALSE(waits_until(chrono::steady_clock::time_point()));
  EXPECT_FALSE(waits_until(chrono::system_clock::time_point::min()));
  EXPECT_FALSE(waits_until(chrono::file_clock::now() - 1h));
  EXPECT_FALSE(waits_until(ticking_clock::now() - 1h));
  EXPECT_FALSE(waits_until(ticking_clock::time_point::min()));
  weft::this_task::sleep_for(-1h);
  weft::this_task::sleep_until(ticking_clock::now() - 1s);
}

TEST_F(cpp_time, what_is_far_is_as_good_as_never) {
  const auto succeeds = [](auto&& waits) {
    binary_semaphore unit(0);
    auto releases = weft::spawn([&] {
      weft::this_task::yield();
      unit.release();
    });
    EXPECT_TRUE(waits(unit));
    releases.join();
  };
  const auto waits_for = [&](auto d) {
    succeeds([d](binary_semaphore& s) { return s.try_acquire_for(d); });
  };
  waits_for(chrono::nanoseconds::max());
  waits_for(chrono::hours::max());
  waits_for(chrono::years(1'000'000));
  waits_for(chrono::duration<uint64_t>(UINT64_MAX));
  waits_for(chrono::duration<double>(std::numeric_limits<double>::infinity()));
  waits_for(chrono::duration<long double, std::pico>(1e300L));
  const auto waits_until = [&](auto t) {
    succeeds([t](binary_semaphore& s) { return s.try_acquire_until(t); });
  };
  waits_until(chrono::steady_clock::time_point::max());
  waits_until(chrono::system_clock::time_point::max());
  waits_until(chrono::file_clock::time_point::max());
  waits_until(ticking_clock::time_point::max());
  waits_until(ticking_clock::now() + 1h);
}

// Units whose count times the nanoseconds of one does not fit, though the result does.
TEST_F(cpp_time, ticks_of_odd_lengths_are_counted_whole) {
  using frames = std::chrono::duration<int64_t, std::ratio<1, 90'000>>;
  using samples = std::chrono::duration<int64_t, std::ratio<1, 44'100>>;
  constexpr int64_t seconds = 1'800'000'000;
  EXPECT_EQ(weft::detail::nanoseconds(frames(seconds * 90'000)), seconds * 1'000'000'000);
  EXPECT_EQ(weft::detail::nanoseconds(samples(seconds * 44'100)), seconds * 1'000'000'000);
  EXPECT_EQ(weft::detail::nanoseconds(samples(1)), 22'676);  // rounded up
  EXPECT_EQ(weft::detail::nanoseconds(samples(-1)), -22'675);
  EXPECT_EQ(weft::detail::nanoseconds(std::chrono::nanoseconds(-7)), -7);
}

TEST_F(cpp_time, no_wait_ends_before_its_moment) {
  mutex m;
  std::unique_lock held(m);
  condition_variable none;
  const auto begin = chrono::steady_clock::now();
  EXPECT_FALSE(
      none.wait_for(held, chrono::duration<double, std::micro>(1500.5), [] { return false; }));
  EXPECT_GE(chrono::steady_clock::now() - begin, 1500500ns);
  const auto until = ticking_clock::now() + 2ms;
  EXPECT_EQ(none.wait_until(held, until), cv_status::timeout);
  EXPECT_GE(ticking_clock::now(), until);
  // A part of a nanosecond counts as a whole one.
  EXPECT_EQ(detail::nanoseconds(chrono::duration<int64_t, std::pico>(1)), 1);
  EXPECT_EQ(detail::nanoseconds(chrono::duration<double, std::nano>(2.25)), 3);
  EXPECT_EQ(detail::nanoseconds(chrono::duration<int64_t, std::pico>(-1)), 0);
}

}  // namespace
}  // namespace weft::test
