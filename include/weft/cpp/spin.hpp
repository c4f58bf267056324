// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock for a few instructions, in which nothing parks: not even a stop callback may.
#pragma once

#include <atomic>
#include <sched.h>

namespace weft::detail {

class spin_lock {
 public:
  constexpr spin_lock() noexcept = default;
  spin_lock(const spin_lock&) = delete;
  spin_lock& operator=(const spin_lock&) = delete;

  class held {
   public:
    explicit held(spin_lock& lock) noexcept : lock_(lock) { lock.close(); }
    held(const held&) = delete;
    held& operator=(const held&) = delete;
    ~held() { lock_.closed_.clear(std::memory_order_release); }

   private:
    spin_lock& lock_;
  };

 private:
  // Who holds it was interrupted by the kernel if it takes long.
  void close() noexcept {
    for (unsigned tries = 1; closed_.test_and_set(std::memory_order_acquire); ++tries)
      if (tries % 64 == 0) sched_yield();
  }

  std::atomic_flag closed_;
};

}  // namespace weft::detail
