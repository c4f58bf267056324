// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a task that yields and yields, with nothing else to run, polls for so long that its
// worker may nap.
//
// Nothing tells a task that polls from one that computes a little between its yields, and a nap
// takes 0.1 ms as the system's timers go. So naps are far apart: many yields lie between two, and
// while other workers are up as long a time as before the first. That is many times as long as an
// idle worker watches: else the poller naps before another one has done what it waits for, that one
// falls asleep before the next is given to it, and each waits for the other's sleep every time.
#pragma once

#include <cstdint>

#include "base/owned.hpp"

namespace weft::rt {

class poll_watch {
 public:
  static constexpr uint32_t many = 1000;
  // And between two looks at what others' clocks say: who polls may compute between its yields.
  static constexpr uint32_t some = 20;
  // As many times as an idle worker watches: 1 ms if that is 50 us.
  static constexpr int64_t watches = 20;

  // Something else is polled for from now on: there was something to run, or a task has been sent.
  void begin() noexcept { yields_.set(0); }

  // A yield found nothing. True: that makes some in a row, for the first time or again.
  [[nodiscard]] bool yielded() noexcept {
    const uint32_t yields = yields_.get() + 1;
    yields_.set(yields);
    if (yields == many) since_ns_.set(not_known);
    return yields % some == 0;
  }

  // At such a yield: whether that makes many.
  [[nodiscard]] bool makes_many() const noexcept { return yields_.get() % many == 0; }

  // At such a yield. spin_ns: how long an idle worker watches.
  [[nodiscard]] bool may_nap(int64_t now_ns, int64_t spin_ns) noexcept {
    if (since_ns_.get() == not_known) since_ns_.set(now_ns);
    return (now_ns - since_ns_.get()) / watches >= spin_ns;
  }

  // After the nap. others_are_up: one of them may do what the task waits for.
  void napped(int64_t now_ns, bool others_are_up) noexcept {
    if (others_are_up) since_ns_.set(now_ns);
  }

 private:
  static_assert(many % some == 0);
  static constexpr int64_t not_known = -1;

  owned<uint32_t> yields_{0};  // in a row
  owned<int64_t> since_ns_{not_known};
};

}  // namespace weft::rt
