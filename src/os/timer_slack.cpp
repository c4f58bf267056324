// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timer slack of Linux, which prctl(2) sets for the calling thread.
#include "os/timer_slack.hpp"

#include <sys/prctl.h>

#include "os/errno_kept.hpp"

namespace weft::rt::os {

namespace {

constexpr unsigned long exact_ns = 1;  // 0 would mean: the thread's first value

}  // namespace

exact_timers::exact_timers() noexcept {
  const errno_kept keep;
  before_ns_ = ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  if (before_ns_ <= static_cast<int>(exact_ns) ||
      ::prctl(PR_SET_TIMERSLACK, exact_ns, 0, 0, 0) != 0)
    before_ns_ = 0;
}

exact_timers::~exact_timers() noexcept {
  const errno_kept keep;
  if (before_ns_ > 0) (void)::prctl(PR_SET_TIMERSLACK, before_ns_, 0, 0, 0);
}

}  // namespace weft::rt::os
