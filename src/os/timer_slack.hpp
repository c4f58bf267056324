// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleeps of the calling thread that end when they should: the kernel may delay others by 50 us.
#pragma once

namespace weft::rt::os {

// While it exists. By the thread that sleeps, which keeps what it had before.
class exact_timers {
 public:
  exact_timers() noexcept;
  ~exact_timers() noexcept;
  exact_timers(const exact_timers&) = delete;
  exact_timers& operator=(const exact_timers&) = delete;

 private:
  int before_ns_;  // 0 or less: it could not be asked for, or is exact already
};

}  // namespace weft::rt::os
