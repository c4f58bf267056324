// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/time.h.
#include <cerrno>
#include <cstdint>

#include <weft/time.h>

#include "base/attributes.hpp"
#include "io/sleep.hpp"
#include "os/clock.hpp"

namespace rt = weft::rt;

int64_t weft_time_now_ns(void) { return rt::os::monotonic_ns(); }

__attribute__((noinline)) int weft_task_sleep_until(int64_t deadline_ns) {
  return deadline_ns >= 0 ? rt::sleep_until(deadline_ns, WEFT_CALL_SITE) : -EINVAL;
}

__attribute__((noinline)) int weft_task_sleep_for(int64_t duration_ns) {
  if (duration_ns < 0) return -EINVAL;
  const int64_t now = rt::os::monotonic_ns();
  const int64_t deadline_ns = duration_ns <= INT64_MAX - now ? now + duration_ns : INT64_MAX;
  return rt::sleep_until(deadline_ns, WEFT_CALL_SITE);
}
