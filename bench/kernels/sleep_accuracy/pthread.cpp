// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the operating system that sleeps again and again: what the kernel's own wake costs.
#include <ctime>
#include <sys/prctl.h>

#include "config.hpp"

using namespace weft::bench;

namespace {

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void sleep_until(int64_t deadline_ns) {
  const timespec deadline{deadline_ns / 1'000'000'000, deadline_ns % 1'000'000'000};
  if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) != 0)
    die("clock_nanosleep");
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  const int64_t sleeps = out.opt().quick ? sleeps_quick : sleeps_full;
  if (prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0) != 0) die("PR_SET_TIMERSLACK");
  while (out.more()) out.add(lateness_us(out, sleeps, now_ns, sleep_until));
  out.note("clock_nanosleep with a timer slack of 1 ns");
  return out.finish();
}
